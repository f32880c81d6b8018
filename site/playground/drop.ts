// Files that are dropped on the page, or chosen by a button.

export function setUpDrop(veil: HTMLElement, input: HTMLInputElement, take: (file: File) => void): void {
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
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    take(file);
  });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file !== undefined) take(file);
    input.value = "";
  });
}
