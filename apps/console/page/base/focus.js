/**
 * Notes where the focus is and what stands there. The function that it returns tells whether a person has left
 * both alone since: only then an answer may move the focus.
 */
export function noteFocus() {
  const { activeElement } = document;
  const before = textOf(activeElement);
  return () =>
    [activeElement, document.body].includes(document.activeElement) && textOf(activeElement) === before;
}

// A date that is typed in part has no value yet.
const textOf = ({ value, selectionStart, selectionEnd, validity }) =>
  JSON.stringify([value, selectionStart, selectionEnd, validity?.badInput]);
