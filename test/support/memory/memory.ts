import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasEntryInFile } from '../../../src/memory/memory-files.ts'
import { createWorkspace, type CustomFile, openWorkspace } from '../../../src/memory/workspace.ts'
import type { Writer, AppendedText } from '../../../src/memory/write/write-lock.ts'

/** A workspace with a writer whose clock the test sets; nothing is indexed. */
export type TestMemory = Writer & {
  written: AppendedText[]
  now: Date
  text(file: string): string
  put(file: string, text: string): Promise<void>
}

export async function openTestMemory(
  root: string,
  options: { name?: string; customFiles?: CustomFile[] } = {},
): Promise<TestMemory> {
  const { name = 'default', customFiles } = options
  const workspace = await openWorkspace({ root, name, customFiles })
  await createWorkspace(workspace)
  const memory: TestMemory = {
    workspace,
    now: new Date(2026, 2, 20, 10, 5, 30),
    clock: () => memory.now,
    lockTimeoutMs: 20_000,
    written: [],
    onWritten: (written) => void memory.written.push(written),
    compare: async ({ file, body }) => ({
      isDuplicate: file !== null && (await hasEntryInFile(workspace, file, body)),
      conflicts: [],
    }),
    settled: null,
    text: (file) => readFileSync(join(workspace.path, file), 'utf8'),
    async put(file, text) {
      await mkdir(dirname(join(workspace.path, file)), { recursive: true })
      writeFileSync(join(workspace.path, file), text)
    },
  }
  return memory
}

export const projects: CustomFile = {
  name: 'projects.md',
  description: '',
  inject: true,
  maxChars: null,
  searchable: true,
  compactable: false,
}

/** Returns the value, or the message of the error. */
export async function outcome<T>(work: Promise<T>): Promise<T | string> {
  return work.catch((error: Error) => error.message)
}
