/**
 * Notes where the focus is. The function that it returns moves it, unless a person has moved it meanwhile, or
 * has typed there.
 */
export function noteFocus() {
  const { activeElement } = document;
  const { value } = activeElement;
  return (element) => {
    const isThere = [activeElement, document.body].includes(document.activeElement);
    if (isThere && activeElement.value === value) element?.focus();
  };
}
