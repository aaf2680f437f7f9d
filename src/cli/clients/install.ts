import { existsSync } from 'node:fs'
import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import type { Client, Launch, Machine } from './client.ts'
import { editText, isObject, readSection, type EntryChange, type Json } from './edit.ts'

/** The name of an entry of ours, and of the one of upstream's that it replaces. */
export type ServerEntry = { name: 'og' | 'og-memory'; upstream: 'openground' | 'groundmemory' }

/** Two entries, so that a client can have documentation, memory, or both. */
export const servers = {
  documentation: { name: 'og', upstream: 'openground' },
  memory: { name: 'og-memory', upstream: 'groundmemory' },
} as const satisfies Record<string, ServerEntry>

export type Wish = {
  server: ServerEntry
  /** null: the entry is taken away. */
  launch: Launch | null
  scope: 'user' | 'project'
  dryRun: boolean
}

export type InstallOutcome = {
  client: string
  server: ServerEntry
  path: string
  change: 'added' | 'replaced' | 'removed' | 'none'
  /** An entry of upstream's went (or would go) with it. */
  replacedUpstream: boolean
  /** A copy of the file as it was; null where nothing was written, or there was none. */
  backup: string | null
}

/**
 * Puts the entry into a client's file, or takes it out. What else stands in the file stays, keys
 * that a user added to our entry too; a symbolic link stays a link, the mode stays.
 * @throws OgError where the file cannot be parsed or written; then it was not touched
 */
export async function configureClient(
  client: Client,
  machine: Machine,
  wish: Wish,
): Promise<InstallOutcome> {
  const path = fileOf(client, machine, wish.scope)
  const before = await readIfThere(path)
  const document = { path, format: client.format, text: before ?? '' }
  const section = await readSection(document, client.section)
  const change = changeOf(client, section, wish)
  const outcome = { client: client.name, ...describe(section, change, wish) }
  if (Object.keys(change.entries).length === 0) return { ...outcome, path, backup: null }
  const text = await editText(document, change)
  const backup = before === null ? null : `${path}.og-backup`
  if (!wish.dryRun) await write(path, { text, before, backup, scope: wish.scope })
  return { ...outcome, path, backup: wish.dryRun ? null : backup }
}

/** @throws OgError where the client has no file for a project */
export function fileOf(client: Client, machine: Machine, scope: Wish['scope']): string {
  const files = scope === 'user'
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

/** Only what is not so yet. */
function changeOf(client: Client, section: Json, { launch, server }: Wish): EntryChange {
  const entries: Record<string, Json | null> = {}
  const own = section[server.name]
  if (launch === null) {
    if (own !== undefined) entries[server.name] = null
    return { section: client.section, entries }
  }
  const entry = { ...(isObject(own) ? own : {}), ...client.entry(launch) }
  if (!Bun.deepEquals(own, entry)) entries[server.name] = entry
  if (section[server.upstream] !== undefined) entries[server.upstream] = null
  return { section: client.section, entries }
}

function describe(
  section: Json,
  { entries }: EntryChange,
  { server }: Wish,
): Pick<InstallOutcome, 'server' | 'change' | 'replacedUpstream'> {
  const replacedUpstream = entries[server.upstream] === null
  const own = entries[server.name]
  const was = section[server.name] !== undefined
  const change = own === null ? 'removed'
    : own === undefined ? (replacedUpstream ? 'replaced' : 'none')
      : was ? 'replaced' : 'added'
  return { server, change, replacedUpstream }
}

/** @throws OgError where it is there and cannot be read */
export async function readIfThere(path: string): Promise<string | null> {
  const limits = { limitMb: 64 }
  const text = await readTextFile(path, limits).catch((error: NodeJS.ErrnoException) => error)
  if (typeof text === 'string') return text
  const isLink = await lstat(path).then((stats) => stats.isSymbolicLink(), () => false)
  if (text.code === 'ENOENT' && !isLink) return null
  const why = isLink && text.code === 'ENOENT' ? 'it is a link that leads nowhere' : text.message
  throw new OgError(`Cannot read ${path}: ${why}; nothing was changed`, { cause: text })
}

type Writing = {
  text: string
  before: string | null
  backup: string | null
  scope: Wish['scope']
}

async function write(path: string, { text, before, backup, scope }: Writing): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch(cannotWrite(path))
  // Clients write these files too, some of them often.
  if ((await readIfThere(path)) !== before) {
    throw new OgError(`Cannot edit ${path}: another program has just changed it`, {
      hint: 'run the same command again',
    })
  }
  if (backup !== null) {
    const { mode } = await stat(path)
    await writeFileAtomically(backup, before!, { mode: mode & 0o777 }).catch(cannotWrite(backup))
  }
  // Such files may hold keys of other servers: what we create is for its user alone.
  const mode = before === null ? { mode: scope === 'user' ? 0o600 : 0o644 } : {}
  const target = before === null ? path : await realpath(path)
  await writeFileAtomically(target, text, mode).catch(cannotWrite(path))
}

/** For `catch`. @throws OgError that says which file could not be written, and why */
export function cannotWrite(path: string) {
  return (error: unknown): never => {
    throw new OgError(`Cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}
