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
