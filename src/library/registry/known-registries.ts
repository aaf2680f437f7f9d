import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { jsonText, parseJsonOr } from '../../platform/json.ts'
import { lockExclusive } from '../../platform/lock.ts'
import {
  findShapeFault,
  isCount,
  isText,
  listOf,
  object,
  orNull,
  rule,
} from '../../store/json-rules.ts'

export type KnownRegistry = {
  name: string
  /** A URL, or the absolute path of a folder. */
  url: string
  key: string | null
  serial: number
}

/**
 * Returns the registries in the order in which og queries them. `lists` is the folder of
 * registries.json.
 * @throws OgError if the list cannot be read
 */
export async function readRegistries(lists: string): Promise<KnownRegistry[]> {
  const path = listPath(lists)
  const text = await readTextFile(path, { limitMb: 4 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw unreadable(path, error.message)
  })
  return parseRegistries(text, path)
}

function parseRegistries(text: string | null, path: string): KnownRegistry[] {
  if (text === null) return []
  const list = parseJsonOr(text, (why) => unreadable(path, why))
  const why = findShapeFault(list, listRule, 'it')
  if (why !== null) throw unreadable(path, why)
  return (list as { registries: KnownRegistry[] }).registries
}

/** Changes the list under a lock, so that no other process changes it at the same time. */
export async function changeRegistries(
  lists: string,
  change: (registries: KnownRegistry[]) => KnownRegistry[],
): Promise<void> {
  const what = 'the list of registries'
  await mkdir(lists, { recursive: true })
  using _lock = await lockExclusive(`${listPath(lists)}.lock`, { timeoutMs: 10_000, what })
  const path = listPath(lists)
  const plan = (text: string | null) =>
    jsonText({ registries: change(parseRegistries(text, path)) })
  await editTextFile(path, { plan, limitMb: 4 })
}

/** Stores a registry's highest known serial. og rejects older indexes from now on. */
export async function rememberSerial(lists: string, url: string, serial: number): Promise<void> {
  await changeRegistries(lists, (all) =>
    all.map((it) => (it.url === url && it.serial < serial ? { ...it, serial } : it)),
  )
}

function listPath(lists: string): string {
  return join(lists, 'registries.json')
}

const text = rule('a text', isText)
const listRule = object({
  registries: listOf(
    object({ name: text, url: text, key: orNull(text), serial: rule('a count', isCount) }),
  ),
})

function unreadable(path: string, why: string): OgError {
  return new OgError(`Cannot read "${path}": ${why}`, {
    hint: 'correct or delete it, then run og registry add again',
  })
}
