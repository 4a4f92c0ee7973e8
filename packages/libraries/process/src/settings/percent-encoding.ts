/** Whether a text can be decoded: each % begins an encoded byte, and the bytes are UTF-8. */
export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
