/**
 * Reads a number whose comma can only be a decimal one, such as 66,7 or 1.234,5. Null without a comma, or if the comma
 * may separate thousands, as in 1,000.
 */
export function readDecimalComma(text: string): number | null {
  const written = text.replace(/[^\d.,-]/g, "");
  const isThousands = /^-?[1-9]\d{0,2},\d{3}$/.test(written);
  const isDecimal = /^-?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(written);
  return isDecimal && !isThousands ? Number(written.replaceAll(".", "").replace(",", ".")) : null;
}
