import { existsSync } from 'node:fs'
import { lstat, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord, jsonText } from '../../platform/json.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { machinePath, type Client, type LaunchCommand, type Machine } from './client.ts'
import { editText, readSection, type EntryChange, type Json } from './edit.ts'

export type ServerEntry = { name: 'og' | 'og-memory'; upstream: 'openground' | 'groundmemory' }

/** Two entries, so that a client can use documentation, memory or both. */
export const serverEntries = {
  documentation: { name: 'og', upstream: 'openground' },
  memory: { name: 'og-memory', upstream: 'groundmemory' },
} as const satisfies Record<string, ServerEntry>

export type ClientSetup = {
  server: ServerEntry
  launch: LaunchCommand | null
  scope: 'user' | 'project'
  dryRun: boolean
}

/** `backup` is the path of the backup, or null. */
export type FileOutcome = {
  path: string
  change: 'added' | 'replaced' | 'removed' | 'none'
  backup: string | null
}

export type InstallOutcome = FileOutcome & {
  client: string
  server: ServerEntry
  replacedUpstream: boolean
}

type FileChange = Pick<ClientSetup, 'scope' | 'dryRun'> & {
  /** Returns the new text. Null means no file, for the old and the new text. */
  plan(before: string | null): string | null | Promise<string | null>
  /** True if a backup PATH.og-backup is written. */
  backsUp: boolean
}

/**
 * Changes a client's file as planned. Keeps a symbolic link and the file mode.
 * @throws OgError if the file cannot be read or written; it is then unchanged
 */
export async function changeFile(
  path: string,
  { plan, scope, dryRun, backsUp }: FileChange,
): Promise<{ before: string | null; after: string | null; backup: string | null }> {
  const before = await readIfExists(path)
  const after = await plan(before)
  if (after === before || dryRun) return { before, after, backup: null }
  if (after === null) {
    await rm(path).catch(throwCannotWrite(path))
    return { before, after, backup: null }
  }
  await mkdir(dirname(path), { recursive: true }).catch(throwCannotWrite(path))
  const backup = before === null || !backsUp ? null : `${path}.og-backup`
  const edit = async (text: string | null) => {
    const next = await plan(text)
    if (next === text) return null
    if (backup !== null && text !== null) {
      const { mode } = await stat(path)
      const saving = writeFileAtomically(backup, text, { mode: mode & 0o777 })
      await saving.catch(throwCannotWrite(backup))
    }
    return next
  }
  // The files can contain keys for other servers, so a new file is private to its user.
  const mode = scope === 'user' ? 0o600 : 0o644
  await editTextFile(path, { plan: edit, mode }).catch(throwCannotWrite(path))
  return { before, after, backup }
}

/**
 * Adds the entry to a client's settings file, or removes it. Keeps everything else, including keys
 * that the user added to og's entry.
 * @throws OgError if the file cannot be parsed or written; it is then unchanged
 */
export async function configureClient(
  client: Client,
  machine: Machine,
  wish: ClientSetup,
): Promise<InstallOutcome> {
  const path = clientSettingsFile(client, machine, wish.scope)
  const { server } = wish
  let last: Pick<InstallOutcome, 'change' | 'replacedUpstream'>
  const plan = async (before: string | null) => {
    const document = { path, format: client.format, text: before ?? '' }
    const section = await readSection(document, client.section)
    const change = changeOf(client, section, wish)
    const replacedUpstream = change.entries[server.upstream] === null
    last = { replacedUpstream, change: changeKind(section, change, server) }
    return Object.keys(change.entries).length === 0 ? before : editText(document, change)
  }
  const { backup } = await changeFile(path, { ...wish, plan, backsUp: true })
  return { client: client.name, server, path, ...last!, backup }
}

export function clientSettingsFile(
  client: Client,
  machine: Machine,
  scope: ClientSetup['scope'],
): string {
  const files =
    scope === 'user'
      ? client.files.map((place) => machinePath(machine, place))
      : client.projectFiles.map((name) => join(machine.cwd, name))
  const [first] = files
  if (first === undefined) {
    throw new OgError(`Cannot configure ${client.title} for a project: it has no such file`, {
      hint: 'omit --project',
    })
  }
  return files.find((path) => existsSync(path)) ?? first
}

function changeOf(client: Client, section: Json, { launch, server }: ClientSetup): EntryChange {
  const entries: Record<string, Json | null> = {}
  const own = section[server.name]
  if (launch === null) {
    if (own !== undefined) entries[server.name] = null
    return { section: client.section, entries }
  }
  const entry = { ...(isRecord(own) ? own : {}), ...client.entry(launch) }
  if (!Bun.deepEquals(own, entry)) entries[server.name] = entry
  if (section[server.upstream] !== undefined) entries[server.upstream] = null
  return { section: client.section, entries }
}

function changeKind(
  section: Json,
  { entries }: EntryChange,
  { name, upstream }: ServerEntry,
): FileOutcome['change'] {
  const own = entries[name]
  if (own === null) return 'removed'
  if (own === undefined) return entries[upstream] === null ? 'replaced' : 'none'
  return section[name] === undefined ? 'added' : 'replaced'
}

/** Returns null if the file is missing. @throws OgError if it cannot be read */
async function readIfExists(path: string): Promise<string | null> {
  const limits = { limitMb: 64 }
  const text = await readTextFile(path, limits).catch((error: NodeJS.ErrnoException) => error)
  if (typeof text === 'string') return text
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
  if (text.code === 'ENOENT' && !isLink) return null
  const why = isLink && text.code === 'ENOENT' ? 'it is a link that leads nowhere' : text.message
  throw new OgError(`Cannot read ${path}: ${why}; nothing was changed`, { cause: text })
}

function throwCannotWrite(path: string) {
  return (error: unknown): never => {
    if (error instanceof OgError) throw error
    throw new OgError(`Cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}

export async function configSnippet(
  client: Client,
  launch: LaunchCommand,
  { name }: ServerEntry = serverEntries.documentation,
): Promise<string> {
  const content = { [client.section]: { [name]: client.entry(launch) } }
  if (client.format === 'json') return jsonText(content)
  const { stringify } = await import('smol-toml')
  return `${stringify(content).trimEnd()}\n`
}
