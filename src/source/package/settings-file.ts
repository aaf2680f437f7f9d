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

const maxElements = 200_000
const maxDepth = 100

/**
 * Returns an XML file's elements in the order of their end tags. Expands only XML's own entities.
 * @throws OgError about `what` if the text is not XML, or too large for settings and metadata
 */
export async function xmlElements(text: string, what: string): Promise<XmlElement[]> {
  return parseXml(text.replace(/^\uFEFF/, '')).catch((cause: unknown) => {
    throw new OgError(`Cannot read ${what}: ${messageOf(cause)}`, { cause })
  })
}

async function parseXml(text: string): Promise<XmlElement[]> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser({ xmlns: false, position: false })
  const elements: XmlElement[] = []
  const open: XmlElement[] = []
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= maxDepth) throw new Error(`its elements nest over ${maxDepth} deep`)
    const parent = open.at(-1)?.path
    const path = parent === undefined ? name : `${parent}/${name}`
    open.push({ path, text: '', attributes: attributes as Record<string, string> })
  })
  parser.on('text', (piece) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  })
  parser.on('closetag', () => {
    const element = open.pop()!
    if (elements.length >= maxElements) throw new Error(`it has over ${maxElements} elements`)
    elements.push({ ...element, text: element.text.trim() })
  })
  parser.write(text).close()
  return elements
}

/** Returns the text of the first element at a path, or an empty string. */
export function xmlText(elements: readonly XmlElement[], path: string): string {
  return elements.find((element) => element.path === path)?.text ?? ''
}
