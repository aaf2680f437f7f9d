import { OgError } from '../../platform/error.ts'
import { editJson, readJson } from './edit-json.ts'
import { editToml, readToml } from './edit-toml.ts'

/** What stands in a file of settings, as far as an entry of ours is concerned. */
export type Json = Record<string, unknown>

/** The file's text with entries set, or taken away where the value is null. */
export type EntryChange = { section: string; entries: Readonly<Record<string, Json | null>> }

export type Document = { path: string; format: 'json' | 'toml'; text: string }

/** The entries of a section. @throws OgError naming line and column where the text is broken */
export async function readSection(document: Document, section: string): Promise<Json> {
  const content = await read(document)
  const value = content[section] ?? {}
  if (isObject(value)) return value
  throw refusal(document, `its "${section}" is no object`)
}

/**
 * The text with a change made in place: everything else, comments and layout too, stays as it is.
 * What comes out is read again and compared before anybody writes it.
 */
export async function editText(document: Document, change: EntryChange): Promise<string> {
  const before = await read(document)
  const edit = document.format === 'json' ? editJson : editToml
  const text = await edit(document.text, change)
  const after = await read({ ...document, text }).catch(() => null)
  const goal = expected(before, change)
  if (after !== null && Bun.deepEquals(withoutEmpty(after, change), goal)) return text
  throw refusal(document, `its "${change.section}" cannot be changed without changing the rest`)
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function read({ path, format, text }: Document): Promise<Json> {
  return format === 'json' ? readJson(text, path) : readToml(text, path)
}

function expected(before: Json, { section, entries }: EntryChange): Json {
  const inside = { ...(before[section] as Json | undefined) }
  for (const [name, entry] of Object.entries(entries)) {
    if (entry === null) delete inside[name]
    else inside[name] = entry
  }
  return withoutEmpty({ ...before, [section]: inside }, { section })
}

/** An empty section says no more than none, and TOML has no way to leave one. */
function withoutEmpty(content: Json, { section }: Pick<EntryChange, 'section'>): Json {
  const { [section]: inside, ...rest } = content
  return isObject(inside) && Object.keys(inside).length > 0 ? content : rest
}

function refusal({ path }: Document, why: string): OgError {
  return new OgError(`Cannot edit ${path}: ${why}; nothing was changed`, {
    hint: '"og install-mcp" prints what to put there by hand',
  })
}
