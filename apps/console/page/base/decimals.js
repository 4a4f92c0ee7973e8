// Quantities are texts with up to 6 decimals, and are added up digit for digit.
const scale = 6;

function read(text) {
  const [, sign, whole, part = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text);
  return BigInt(`${sign}${whole}${part.padEnd(scale, '0')}`);
}

function write(number) {
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0');
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '');
  return number < 0n ? `-${text}` : text;
}

export const sum = (texts) => write(texts.reduce((all, text) => all + read(text), 0n));
export const difference = (text, other) => write(read(text) - read(other));
