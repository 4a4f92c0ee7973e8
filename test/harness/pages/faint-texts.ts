// biome-ignore lint/suspicious/noExplicitAny: the page has its own names.
declare const document: any, getComputedStyle: any, NodeFilter: any;

/**
 * Runs in the page. Returns the visible texts whose contrast with their background is below 4.5 (WCAG 2.2,
 * 1.4.3), each with its ratio, each look once.
 */
export function faintTexts(): string[] {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color: number[]) => {
    const [red = 0, green = 0, blue = 0] = color
      .slice(0, 3)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const over = (above: number[], below: number[]) => {
    const alpha = above[3] ?? 1;
    return [0, 1, 2].map((at) => above[at]! * alpha + below[at]! * (1 - alpha));
  };
  // biome-ignore lint/suspicious/noExplicitAny: an element.
  const behind = (element: any): number[] => {
    if (element === null) return [255, 255, 255];
    const own = channels(getComputedStyle(element).backgroundColor);
    return (own[3] ?? 1) === 1 ? own : over(own, behind(element.parentElement));
  };
  const found = new Map<string, string>();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (text === '' || !element.checkVisibility() || element.closest('svg, noscript, option') !== null)
      continue;
    const ground = behind(element);
    const shown = over(channels(getComputedStyle(element).color), ground);
    const [low, high] = [light(shown), light(ground)].sort((a, b) => a - b);
    const ratio = (high! + 0.05) / (low! + 0.05);
    if (ratio < 4.5)
      found.set(
        `${element.tagName}.${element.className} ${shown} on ${ground}`,
        `${ratio.toFixed(1)} ${text.slice(0, 40)}`,
      );
  }
  return [...found].map(([look, what]) => `${look}: ${what}`);
}
