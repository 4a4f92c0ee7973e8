/**
 * Whether the last of these digits is the check digit of the others: weights 3 and 1 in turn, from the right.
 */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 0x30;
    sum += place % 2 === 0 ? digit : 3 * digit;
  }
  return sum % 10 === 0;
}

/** The check digit to put behind these digits. */
export function checkDigitOf(digits: string): string {
  for (let digit = 0; ; digit++) if (hasCheckDigit(`${digits}${digit}`)) return String(digit);
}

/** The 14-digit form of a GTIN of 8, 12, 13 or 14 digits; null for any other text. */
export function gtin14Of(text: string): string | null {
  return /^(?:\d{8}|\d{12,14})$/.test(text) && hasCheckDigit(text) ? text.padStart(14, '0') : null;
}

/** The lengths in which a GTIN is written, the longest first. */
const gtinLengths = [14, 13, 12, 8];

/** All spellings of a GTIN, the longest first; of any other text, only itself. */
export function gtinSpellingsOf(text: string): string[] {
  const gtin = gtin14Of(text);
  if (gtin === null) return [text];
  return gtinLengths.map((length) => gtin.slice(-length)).filter((each) => each.padStart(14, '0') === gtin);
}

/**
 * The 12 digits of a UPC-A that a UPC-E of 8 digits stands for, which leaves out zeros; any other text as it
 * is. Only the symbology tells a UPC-E from an EAN-8.
 */
export function expandUpcE(text: string): string {
  const [, system, digits, last, check] = /^([01])(\d{5})(\d)(\d)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  const [maker, product] =
    Number(last) < 3
      ? [`${digits.slice(0, 2)}${last}00`, `00${digits.slice(2)}`]
      : last === '3'
        ? [`${digits.slice(0, 3)}00`, `000${digits.slice(3)}`]
        : last === '4'
          ? [`${digits.slice(0, 4)}0`, `0000${digits.slice(4)}`]
          : [digits, `0000${last}`];
  return `${system}${maker}${product}${check}`;
}

/** The characters that a value of GS1 may have, in the order of their check values. */
export const gs1Characters =
  '!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

const pairCharacters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const weights = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83];

/** The two check characters of a Global Model Number without them: at most 23 characters. */
export function checkPairOf(text: string): string {
  let sum = 0;
  for (let place = 0; place < text.length; place++) {
    sum += gs1Characters.indexOf(text.charAt(text.length - 1 - place)) * (weights[place] ?? 0);
  }
  const rest = sum % 1021;
  return pairCharacters.charAt(rest >> 5) + pairCharacters.charAt(rest & 31);
}

/** Whether the check digits of an IBAN are right (ISO 7064, modulo 97). */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[\dA-Z]+$/.test(text)) return false;
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
