import { localTime } from '../../memory/clock.ts'
import type { OpenMemory } from '../../memory/session.ts'
import { isAppendOnly } from '../../memory/write/place.ts'
import type { MemoryKey } from '../../mcp/memory/memory-keys.ts'
import type { Memories } from '../../open-memory.ts'
import { OgError } from '../../platform/error.ts'
import type { LocalClient } from '../../platform/web/peer-user.ts'
import type { Visit } from '../visit.ts'

/** The memories that a page shows, and who may see them. */
export type SiteMemory = {
  memories: Memories
  /** Names of the workspaces that are shown. */
  workspaces(): Promise<string[]>
  /** Memory's own; without any, who may look at the page may look at memory. */
  keys: readonly MemoryKey[]
  /** Where it is there: memory is only read, and without keys by clients of whom this says yes. */
  isReader?: (client: LocalClient) => Promise<boolean>
}

export type MemoryRight = {
  /** null: all that are shown. */
  workspaces: readonly string[] | null
  readOnly: boolean
}

/** The workspace that a request is about. */
export type Remembered = {
  workspace: string
  /** All that who asks may see. */
  names: readonly string[]
  session: OpenMemory
  memories: Memories
  mayWrite: boolean
}

/** @throws OgError where there is no such workspace for who asks */
export async function rememberedIn({ memory, right, params, form }: Visit): Promise<Remembered> {
  if (memory === null || right.memory === null) throw new OgError('This server shows no memory')
  const { memories } = memory
  const names = right.memory.workspaces ?? await memory.workspaces()
  const usual = names.includes(memories.config.workspace) ? memories.config.workspace : names[0]
  const workspace = form.get('workspace') || params.get('workspace') || usual
  if (workspace === undefined || !names.includes(workspace)) {
    throw new OgError(`There is no workspace "${workspace ?? ''}" for you`)
  }
  const session = await memories.session(workspace)
  return { workspace, names, session, memories, mayWrite: !right.memory.readOnly }
}

/** The same for what changes something. @throws OgError where it may only be read */
export async function rememberedToWrite(visit: Visit): Promise<Remembered> {
  const remembered = await rememberedIn(visit)
  if (remembered.mayWrite) return remembered
  if (visit.memory?.isReader) {
    throw new OgError('Nothing was changed: memory is only read here', { hint: toChange })
  }
  throw new OgError('Nothing was changed: your key may only read memory')
}

/** How memory is shown so that it can be changed. */
export const toChange = 'og open --memory lets you change it'

/** A page of memory's; what has no value is left out. */
export function memoryAddress(
  { workspace }: Pick<Remembered, 'workspace'>,
  part: string,
  fields: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const said = new URLSearchParams()
  for (const [name, value] of Object.entries({ workspace, ...fields })) {
    if (value !== undefined && value !== '') said.set(name, String(value))
  }
  return `/memory${part && `/${part}`}?${said}`
}

/** Whether a file only grows, so that its text is never changed. */
export function isFixedFile({ session, memories }: Remembered, file: string): boolean {
  const { mutableTiers: tiers } = memories.config.settings
  const { customFiles } = session.workspace
  const today = `daily/${localTime(new Date()).day}.md`
  return isAppendOnly({ file, path: '' }, { tiers, customFiles, today })
}
