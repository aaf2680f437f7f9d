import { messageOf, OgError } from '../../platform/error.ts'
import { readTextFile } from '../../platform/file/read-file.ts'

export async function readSettings(path: string): Promise<Map<string, string>> {
  const settings = new Map<string, string>()
  let table = ''
  for (const line of (await readTextOrEmpty(path)).split(/\r?\n/)) {
    const plain = line.trim()
    if (plain === '' || /^[#;]/.test(plain)) continue
    const head = /^\[([^\]]+)\]$/.exec(plain)?.[1]
    if (head !== undefined) table = `${head.trim()}.`
    const [, name, value] = /^([^=]+?)\s*=\s*(.*)$/.exec(plain) ?? []
    if (head === undefined && name !== undefined) {
      settings.set(table + name, value!.replace(/^(["'])(.*)\1$/, '$2'))
    }
  }
  return settings
}

export async function readTextOrEmpty(path: string): Promise<string> {
  // This path means that no file is read.
  if (path === '/dev/null') return ''
  return readTextFile(path, { limitMb: 1 }).catch((error: NodeJS.ErrnoException) => {
    if (absent.has(error.code ?? '')) return ''
    throw new OgError(`Cannot read ${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error })
  })
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'])

export type XmlElement = { path: string; text: string; attributes: Record<string, string> }

/** Metadata contains fewer elements. */
const maxElements = 200_000

/**
 * Returns an XML file's elements in the order of their end tags.
 * @throws OgError about `what` if the text is not XML, or too large for settings and metadata
 */
export function xmlElements(text: string, what: string): XmlElement[] {
  try {
    if (text.split('<').length > 2 * maxElements) throw new Error('it has too many elements')
    return elementsIn(Bun.XML.parse(text.replace(/^\uFEFF/, ''), { compact: false }), '')
  } catch (cause) {
    throw new OgError(`Cannot read ${what}: ${messageOf(cause)}`, { cause })
  }
}

function elementsIn({ name, attributes, children }: Bun.XML.Node, above: string): XmlElement[] {
  const path = above + name
  const text = children.filter((child) => typeof child === 'string').join('')
  const inner = children.flatMap((child) =>
    typeof child === 'object' && 'name' in child ? elementsIn(child, `${path}/`) : [],
  )
  return [...inner, { path, text: text.trim(), attributes }]
}

/** Returns the text of the first element at a path, or an empty string. */
export function xmlText(elements: readonly XmlElement[], path: string): string {
  return elements.find((element) => element.path === path)?.text ?? ''
}
