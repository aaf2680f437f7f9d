import { existsSync } from 'node:fs'
import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord } from '../../platform/json.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import type { Client, LaunchCommand, Machine } from './client.ts'
import { editText, readSection, type EntryChange, type Json } from './edit.ts'

export type ServerEntry = { name: 'og' | 'og-memory'; upstream: 'openground' | 'groundmemory' }

/** There are two entries, so that a client can have documentation, memory, or both. */
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

export type InstallOutcome = {
  client: string
  server: ServerEntry
  path: string
  change: 'added' | 'replaced' | 'removed' | 'none'
  replacedUpstream: boolean
  /** Path of the backup of the old file; null if nothing was written or the file is new. */
  backup: string | null
}

/**
 * Adds the entry to a client's settings file or removes it. Everything else is kept, including keys
 * that a user added to og's entry, a symbolic link, and the file mode.
 * @throws OgError if the file cannot be parsed or written; it is then unchanged
 */
export async function configureClient(
  client: Client,
  machine: Machine,
  wish: ClientSetup,
): Promise<InstallOutcome> {
  const path = clientSettingsFile(client, machine, wish.scope)
  const before = await readIfExists(path)
  const { text, outcome } = await planEdit(before, { client, path, wish })
  if (text === null || wish.dryRun) return outcome
  return write(path, { client, path, wish })
}

type PlannedEdit = { text: string | null; outcome: InstallOutcome }
type Target = { client: Client; path: string; wish: ClientSetup }

async function planEdit(
  before: string | null,
  { client, path, wish }: Target,
): Promise<PlannedEdit> {
  const document = { path, format: client.format, text: before ?? '' }
  const section = await readSection(document, client.section)
  const change = changeOf(client, section, wish)
  const outcome = { client: client.name, ...describe(section, change, wish), path }
  if (Object.keys(change.entries).length === 0) {
    return { text: null, outcome: { ...outcome, backup: null } }
  }
  const backup = before === null || wish.dryRun ? null : `${path}.og-backup`
  return { text: await editText(document, change), outcome: { ...outcome, backup } }
}

export function clientSettingsFile(
  client: Client,
  machine: Machine,
  scope: ClientSetup['scope'],
): string {
  const files =
    scope === 'user'
      ? client.userFiles(machine)
      : client.projectFiles.map((name) => join(machine.cwd, name))
  const [first] = files
  if (first === undefined) {
    throw new OgError(`Cannot configure ${client.title} for a project: it has no such file`, {
      hint: 'leave --project away',
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

function describe(
  section: Json,
  { entries }: EntryChange,
  { server }: ClientSetup,
): Pick<InstallOutcome, 'server' | 'change' | 'replacedUpstream'> {
  const replacedUpstream = entries[server.upstream] === null
  const own = entries[server.name]
  const was = section[server.name] !== undefined
  const change =
    own === null
      ? 'removed'
      : own === undefined
        ? replacedUpstream
          ? 'replaced'
          : 'none'
        : was
          ? 'replaced'
          : 'added'
  return { server, change, replacedUpstream }
}

/** Returns null if the file is missing. @throws OgError if it cannot be read */
export async function readIfExists(path: string): Promise<string | null> {
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

async function write(path: string, target: Target): Promise<InstallOutcome> {
  await mkdir(dirname(path), { recursive: true }).catch(throwCannotWrite(path))
  let last: PlannedEdit | undefined
  const plan = async (before: string | null) => {
    last = await planEdit(before, target)
    const { backup } = last.outcome
    if (backup !== null) {
      const { mode } = await stat(path)
      await writeFileAtomically(backup, before!, { mode: mode & 0o777 }).catch(
        throwCannotWrite(backup),
      )
    }
    return last.text
  }
  // The files can contain keys for other servers, so a new file is private to its user.
  const mode = target.wish.scope === 'user' ? 0o600 : 0o644
  await editTextFile(path, { plan, mode }).catch(throwCannotWrite(path))
  return last!.outcome
}

export function throwCannotWrite(path: string) {
  return (error: unknown): never => {
    if (error instanceof OgError) throw error
    throw new OgError(`Cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}
