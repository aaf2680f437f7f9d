/**
 * Decodes a web page by its byte order mark, its header or its own `<meta>`, otherwise as UTF-8. If
 * the bytes are invalid in the declared charset, they are read as UTF-8 if valid, otherwise as
 * windows-1252, as in browsers.
 */
export function webText(bytes: Uint8Array, contentType: string | null): string {
  const labels = [markOf(bytes), charsetOf(contentType), metaOf(bytes), 'utf-8']
  for (const label of labels) {
    const text = label === null ? null : decode(bytes, label)
    if (text !== null) return text
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

function markOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

function charsetOf(contentType: string | null): string | null {
  return /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType ?? '')?.[1] ?? null
}

/** The charset of a `<meta>` within the first kilobyte, as in the HTML standard. */
function metaOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  return /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]+)/i.exec(head)?.[1] ?? null
}

function decode(bytes: Uint8Array, label: string): string | null {
  try {
    return new TextDecoder(label as Bun.Encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
