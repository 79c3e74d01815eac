import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { download } from "../../ui/download.ts";
import { tablesAsCsv } from "../../ui/tables-as-csv.ts";

/** Saves the tables of the page as they are shown. */
export function CsvButton({ name }: { readonly name: string }) {
  const save = () => {
    download(`${name}.csv`, "text/csv", tablesAsCsv(document.getElementById("main") ?? document.body));
    announce("The tables of this page are saved as CSV.");
  };
  return <Button onPress={save}>CSV</Button>;
}
