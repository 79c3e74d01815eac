/** An error of a whole list, which no single field shows. */
export function FormFault({ message }: { readonly message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p className="field-error" role="alert" data-fault="" tabIndex={-1}>
      {message}
    </p>
  );
}
