/** Undoes percent-encoding; a `%` that encodes nothing is left as it was typed. */
export function decodePercent(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
}
