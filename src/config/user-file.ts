import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OgError, messageOf } from '../platform/error.ts'
import { editTextFile } from '../platform/file/edit-file.ts'
import { isRecord, isTooDeep, parseJsonOrUndefined, jsonFault } from '../platform/json.ts'
import { readTextFile } from '../platform/file/read-file.ts'
import type { UserPaths } from './paths.ts'

export type UserSettings = Record<string, unknown>

export type UserFile = {
  path: string
  content: UserSettings
  exists: boolean
  /** The reason why the file is unreadable, or null. */
  problem: OgError | null
}

const limits = { limitMb: 1 }
const noSettings = { content: {}, problem: null }

/**
 * Reads config.json. Reports invalid content without throwing, because `og config` must work with
 * it.
 */
export async function readUserFile(paths: Pick<UserPaths, 'configFile'>): Promise<UserFile> {
  const path = paths.configFile()
  const text = await readTextFile(path, limits).catch((error: NodeJS.ErrnoException) => error)
  if (typeof text === 'string') return { path, exists: true, ...(await parse(text, path)) }
  if (text.code === 'ENOENT' || text.code === 'ENOTDIR') {
    return { path, exists: false, content: {}, problem: null }
  }
  const problem = new OgError(`Cannot read config "${path}": ${text.message}`, {
    hint: 'create the file, or run "og config reset"',
    cause: text,
  })
  return { path, exists: true, content: {}, problem }
}

/**
 * Writes several values atomically and keeps all other keys, including keys that another program
 * writes at the same time. Renames an unparsable file to `config.json.broken`, so that the user
 * loses nothing.
 * @throws OgError if a section of the key is not an object, or if the file cannot be written
 */
export async function writeSettings(file: UserFile, values: UserSettings): Promise<void> {
  withValues(file.content, values)
  await mkdir(dirname(file.path), { recursive: true }).catch(cannotWrite(file.path))
  if (file.problem) await rename(file.path, `${file.path}.broken`).catch(cannotWrite(file.path))
  const plan = async (text: string | null) => {
    const { content, problem } = text === null ? noSettings : await parse(text, file.path)
    if (problem !== null) throw problem
    return `${JSON.stringify(withValues(content, values), null, 2)}\n`
  }
  await editTextFile(file.path, { plan, ...limits }).catch(cannotWrite(file.path))
}

export async function deleteUserFile(file: UserFile): Promise<void> {
  await rm(file.path, { force: true }).catch(cannotWrite(file.path))
}

async function parse(
  text: string,
  path: string,
): Promise<{ content: UserSettings; problem: OgError | null }> {
  const fault = (why: string) => ({
    content: {},
    problem: new OgError(`Cannot read config "${path}": ${why}`, {
      hint: 'correct the file, or run "og config reset"',
    }),
  })
  if (text.trim() === '') return { content: {}, problem: null }
  const plain = text.replace(/^\uFEFF/, '')
  if (isTooDeep(plain)) return fault('it is nested too deeply')
  const value = parseJsonOrUndefined(plain)
  if (value === undefined) return fault(await whereBroken(plain))
  return isRecord(value) ? { content: value, problem: null } : fault('it is not a JSON object')
}

async function whereBroken(text: string): Promise<string> {
  const fault = await jsonFault(text, { relaxed: false })
  if (fault === null) return 'it is not valid JSON'
  const { line, column, what } = fault
  return `it is not valid JSON (line ${line}, column ${column}: ${what})`
}

function withValues(content: UserSettings, values: UserSettings): UserSettings {
  return Object.entries(values).reduce((all, [key, value]) => withKey(all, key, value), content)
}

function withKey(content: UserSettings, key: string, value: unknown): UserSettings {
  const [section, name] = key.split('.')
  if (section === undefined || name === undefined) return { ...content, [key]: value }
  const inside = content[section] ?? {}
  if (!isRecord(inside)) {
    throw new OgError(`Cannot set "${key}": "${section}" is not an object in config.json`, {
      hint: 'run "og config reset"',
    })
  }
  return { ...content, [section]: { ...inside, [name]: value } }
}

function cannotWrite(path: string) {
  return (error: unknown): never => {
    if (error instanceof OgError) throw error
    throw new OgError(`Cannot write config "${path}": ${messageOf(error)}`, { cause: error })
  }
}
