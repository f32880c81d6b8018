// Files that are dropped on the page, or chosen by a button.

export function setUpDrop(
  veil: HTMLElement,
  input: HTMLInputElement,
  take: (files: readonly File[]) => void,
): void {
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) veil.hidden = true;
  });
  addEventListener("drop", (event) => {
    veil.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    take(files);
  });
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    if (files.length > 0) take(files);
    input.value = "";
  });
}
