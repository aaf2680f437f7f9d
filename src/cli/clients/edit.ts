import { isRecord } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import { editJson, readJson } from './edit-json.ts'
import { editToml, readToml } from './edit-toml.ts'

export type Json = Record<string, unknown>

export type EntryChange = { section: string; entries: Readonly<Record<string, Json | null>> }

export type SettingsDocument = { path: string; format: 'json' | 'toml'; text: string }

export async function readSection(document: SettingsDocument, section: string): Promise<Json> {
  const content = await read(document)
  const value = content[section] ?? {}
  if (isRecord(value)) return value
  throw refusal(document, `its "${section}" is no object`)
}

/**
 * Applies a change to the text and leaves everything else unchanged, including comments and layout.
 * The result is parsed and compared with the expected content before it is returned.
 */
export async function editText(document: SettingsDocument, change: EntryChange): Promise<string> {
  const before = await read(document)
  const edit = document.format === 'json' ? editJson : editToml
  const text = await edit(document.text, change)
  const after = await read({ ...document, text }).catch(() => null)
  const goal = expectedSection(before, change)
  if (after !== null && Bun.deepEquals(withoutEmpty(after, change), goal)) return text
  throw refusal(document, `its "${change.section}" cannot be changed without changing the rest`)
}

async function read({ path, format, text }: SettingsDocument): Promise<Json> {
  return format === 'json' ? readJson(text, path) : readToml(text, path)
}

function expectedSection(before: Json, { section, entries }: EntryChange): Json {
  const inside = { ...(before[section] as Json | undefined) }
  for (const [name, entry] of Object.entries(entries)) {
    if (entry === null) delete inside[name]
    else inside[name] = entry
  }
  return withoutEmpty({ ...before, [section]: inside }, { section })
}

/** Removes an empty section, which means the same as a missing one; TOML cannot express it. */
function withoutEmpty(content: Json, { section }: Pick<EntryChange, 'section'>): Json {
  const { [section]: inside, ...rest } = content
  return isRecord(inside) && Object.keys(inside).length > 0 ? content : rest
}

function refusal({ path }: SettingsDocument, why: string): OgError {
  return new OgError(`Cannot edit ${path}: ${why}; nothing was changed`, {
    hint: '"og install-mcp" prints what to put there by hand',
  })
}
