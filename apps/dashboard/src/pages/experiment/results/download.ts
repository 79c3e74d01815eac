/** Downloads a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Builds a file name from parts: letters, digits, dots and dashes. */
export function fileName(...parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll(/[^\p{L}\p{N}.]+/gu, "-")).join("_");
}
