import { option, type OptionValues } from './command.ts'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { loadMemoryConfig, type MemoryConfig, type MemoryFlags } from '../config/memory.ts'
import type { OpenedMemory } from '../open-memory.ts'
import { expandPath } from '../config/paths.ts'
import { OgError } from '../platform/error.ts'
import { didYouMean } from '../platform/text/nearest.ts'
import type { Context } from './context.ts'

export const memoryPlaceOptions = {
  root: option.text(
    'DIR',
    'folder of all workspaces (default: GROUNDMEMORY_ROOT_DIR, else the folder that ' +
      '"og doctor" prints)',
  ),
  workspace: option.text(
    '-w NAME',
    'workspace, a folder in the root (default: GROUNDMEMORY_WORKSPACE, else "default")',
  ),
  scope: option.text(
    'SCOPE',
    'one memory for all, or one for each git repository (default: GROUNDMEMORY_SCOPE, else ' +
      '"user")',
    { choices: ['user', 'project'] },
  ),
  'env-file': option.text('PATH', 'read settings from this .env file first'),
} as const

export const memoryOptions = {
  ...memoryPlaceOptions,
  json: option.flag('print one JSON object'),
} as const

export type MemoryOptionValues = OptionValues<typeof memoryPlaceOptions>

/**
 * Opens the selected memory. If it is missing, a writing command creates it and prints a note. For
 * other commands it is empty, or an error if an option names it.
 */
export async function openSelectedMemory(
  context: Context,
  options: MemoryOptionValues,
  { writes = false } = {},
): Promise<OpenedMemory> {
  const { env, terminal } = context
  const { openMemorySession } = await import('../open-memory.ts')
  const warn = (line: string) => terminal.note('warning', line)
  const flags = memoryFlags({ env }, options)
  const config = await loadMemoryConfig(env, flags)
  const folder = workspaceFolder(config)
  const isNew = !existsSync(folder)
  if (config.project !== null) {
    const { project, workspace } = config
    terminal.note('plain', `Memory of the project ${project.folder}: workspace ${workspace}`)
  }
  // Opening the memory rejects an invalid name.
  const isName = options.workspace !== null && !/[/\\]/.test(options.workspace)
  if (isNew && isName && !writes) throw await noWorkspace(config)
  await context.guardSignals()
  const memory = await openMemorySession(env, { ...flags, warn })
  if (!isNew || !writes) return memory
  const release = async () => {
    await memory[Symbol.asyncDispose]()
    // A failed write creates nothing.
    if (existsSync(folder)) terminal.note('plain', `New memory: ${folder}`)
  }
  return { ...memory, [Symbol.asyncDispose]: release }
}

export function memoryFlags(
  { env }: Pick<Context, 'env'>,
  options: MemoryOptionValues,
): MemoryFlags {
  const { root, workspace, scope, 'env-file': envFile } = options
  return {
    ...(root === null ? {} : { root }),
    ...(workspace === null ? {} : { workspace }),
    ...(scope === null ? {} : { scope }),
    ...(envFile === null ? {} : { envFile: expandPath(envFile, env) }),
  }
}

/** Reports a missing workspace, which is probably a typo. */
async function noWorkspace({ root, workspace }: MemoryConfig): Promise<OgError> {
  const near = didYouMean(workspace, await listWorkspaces(root))
  return new OgError(`There is no workspace "${workspace}" in ${root}`, {
    hint: near || '"og memory list --workspaces" lists the existing ones; a write creates one',
  })
}

export function workspaceFolder({ root, workspace }: MemoryConfig): string {
  return join(root, workspace)
}

export async function listWorkspaces(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  return entries
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && existsSync(join(root, name, 'MEMORY.md')))
    .sort()
}
