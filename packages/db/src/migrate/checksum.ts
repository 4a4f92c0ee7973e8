import { createHash } from 'node:crypto';

/**
 * The checksums of the steps of 0.1.0 and 0.1.1, by those of their statements: of the whole texts, with their
 * comments then. Their databases contain these, and these versions accept no others.
 */
const wholeTextSums: Readonly<Record<string, string>> = {
  df01bb43fb7b65d6a74d22b2939ef4f0328b72bd73226517bd4e255cefdb75bc:
    '409742037293e0ab5115240f1b51cd0a0cef537a1bc5ae871f1c1f561bfb96bb',
  e1eab45fd9c20dd1796185b23ebe3ff58cb878285d87e8bafee5b02bcd1da37e:
    '93a8924c6e20fc8c9fd3d4be6157ab187bed823c54e6035a0d4445a86e01ea56',
  '5501df5408b5ec284e5223ff04186d50108783bc259bece073db9f1397ca5108':
    '01f8b4b8e9264c2a57988120f8e2427f95ef9b3b4f8bfa643b4000c32bedc7a6',
  '6fa615670c2d6f3e6310009738dbd70148fe7aa55927b7e1a25a70f9323f8390':
    '334cf231cbf93ad80f06303c71e5ae88ff254da97aeb3ade3235095afad551d6',
  c9f4bda0357a116827a5b2d758e80d0cccd7e5b8240b03fe66befd74ddb3b7b1:
    '22baf7c033490df85bc902b979f0fd9f6a1e0dad8acfc752999fcd59babde02f',
};

const space = /(?:--[^\n]*|\/\*.*?\*\/|\s)+/;
// They may contain the like of a comment: strings with and without backslashes, names, bodies of functions.
const quotes = [/(?<!\w)e'(?:[^'\\]|\\.|'')*'/, /'[^']*'/, /"[^"]*"/, /(?<![\w$])(?<tag>\$\w*\$).*?\k<tag>/];
const spaceOrQuoted = new RegExp(`${space.source}|(${quotes.map(({ source }) => source).join('|')})`, 'gis');

/**
 * The checksum of the statements of a script, which its comments and white space do not change. Bodies of
 * functions count whole, because Postgres keeps them so.
 */
export function checksumOf(script: string): string {
  const statements = script.replaceAll(spaceOrQuoted, (_, quoted?: string) => quoted ?? ' ').trim();
  const checksum = createHash('sha256').update(statements).digest('hex');
  return wholeTextSums[checksum] ?? checksum;
}
