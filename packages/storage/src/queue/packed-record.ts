const LENGTH_BYTES = 4;

/** Packs a header and a body into one record: the length of the header, the header as JSON, the body as received. */
export function pack(header: object, body: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const record = Buffer.allocUnsafe(LENGTH_BYTES + json.length + body.byteLength);
  record.writeUInt32LE(json.length);
  record.set(json, LENGTH_BYTES);
  record.set(body, LENGTH_BYTES + json.length);
  return record;
}

/** Unpacks a record of `pack`; the body shares the record's memory. */
export function unpack<Header>(record: Uint8Array): { readonly header: Header; readonly body: Buffer } {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  const bodyAt = LENGTH_BYTES + bytes.readUInt32LE();
  return {
    header: JSON.parse(bytes.toString("utf8", LENGTH_BYTES, bodyAt)) as Header,
    body: bytes.subarray(bodyAt),
  };
}
