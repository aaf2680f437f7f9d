import { completeInput, type Operation } from '../../operation/operation.ts'
import { localTime } from '../../memory/text.ts'
import type { OpenMemory } from '../../memory/session.ts'
import { isAppendOnly } from '../../memory/write/memory-file.ts'
import type { Memories } from '../../open-memory.ts'
import { OgError } from '../../platform/error.ts'
import type { Route, Visit } from '../visit.ts'
import type { Answer } from '../../operation/note.ts'
import type { InputFields, InputOf } from '../../operation/field.ts'

/** The requested workspace and the visitor's access to it. */
export type OpenWorkspace = {
  workspace: string
  names: readonly string[]
  session: OpenMemory
  memories: Memories
  mayWrite: boolean
}

/** Opens the requested workspace. @throws OgError if the visitor cannot see it */
async function openWorkspaceOf({ memory, right, params, form }: Visit): Promise<OpenWorkspace> {
  if (memory === null || right.memory === null) {
    throw new OgError('This server has no memory pages', { code: 'absent' })
  }
  const { memories } = memory
  const names = right.memory.workspaces ?? (await memory.workspaces())
  const usual = names.includes(memories.config.workspace) ? memories.config.workspace : names[0]
  const workspace = form.get('workspace') || params.get('workspace') || usual
  if (names.length === 0 && right.memory.workspaces === null) {
    const hint = 'og memory write TEXT writes the first entry'
    throw new OgError('Nothing is remembered yet', { code: 'empty', hint })
  }
  if (workspace === undefined || !names.includes(workspace)) {
    throw new OgError(`There is no workspace "${workspace ?? ''}" that you can see`, {
      code: 'absent',
    })
  }
  const session = await memories.session(workspace)
  return { workspace, names, session, memories, mayWrite: !right.memory.readOnly }
}

/** Creates a route for memory. GET opens the requested workspace for reading, POST for a change. */
export function memoryRoute(
  method: Route['method'],
  path: string,
  answer: (visit: Visit, remembered: OpenWorkspace) => ReturnType<Route['answer']>,
): Route {
  const open = method === 'GET' ? openWorkspaceOf : writableWorkspaceOf
  return {
    method,
    path: `/memory${path}`,
    answer: async (visit) => answer(visit, await open(visit)),
  }
}

export function runOperation<F extends InputFields, V, J>(
  { session }: OpenWorkspace,
  { input: fields, run }: Operation<OpenMemory, F, V, J>,
  input: Partial<InputOf<F>>,
): Promise<Answer<V>> {
  return run(session, completeInput(fields, input))
}

/** Opens the requested workspace for a change. @throws OgError if it is read-only */
export async function writableWorkspaceOf(visit: Visit): Promise<OpenWorkspace> {
  const remembered = await openWorkspaceOf(visit)
  if (remembered.mayWrite) return remembered
  if (visit.memory?.isReader) {
    throw new OgError('Nothing was changed: memory is read-only here', {
      code: 'denied',
      hint: writeHint,
    })
  }
  const message = 'Nothing was changed: your key is read-only'
  throw new OgError(message, { code: 'denied' })
}

export const writeHint = 'og open --memory lets you change it'

/** Returns the URL of a view of memory. Omits fields without a value. */
export function memoryAddress(
  { workspace }: Pick<OpenWorkspace, 'workspace'>,
  part: string,
  fields: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const said = new URLSearchParams()
  for (const [name, value] of Object.entries({ workspace, ...fields })) {
    if (value !== undefined && value !== '') said.set(name, String(value))
  }
  return `/memory${part && `/${part}`}?${said}`
}

/** True if a file is append-only. */
export function isFixedFile({ session, memories }: OpenWorkspace, file: string): boolean {
  const { mutableTiers: tiers } = memories.config.settings
  const { customFiles } = session.workspace
  const today = `daily/${localTime(new Date()).day}.md`
  return isAppendOnly({ file, path: '' }, { tiers, customFiles, today })
}
