import { accessSync, constants, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { Environment } from '../../config/env.ts'

/**
 * Shows a text through PAGER, or less. PAGER is split into words and not passed to a shell, and the
 * program is looked up only in absolute folders of PATH, so that nothing in the current folder
 * runs. The pager receives Ctrl-C.
 * @returns false if the pager could not show the text; the caller then writes it
 */
export async function showInPager(
  text: string,
  env: Environment,
  holdInterrupts?: () => Disposable,
): Promise<boolean> {
  const words = (env.PAGER ?? 'less').split(/\s+/).filter((word) => word !== '')
  const path = (env.PATH ?? '').split(':').filter(isAbsolute)
  const program = programAt(words[0] ?? '', path)
  if (program === null || basename(program) === 'cat') return false
  const isLess = basename(program) === 'less'
  const args = isLess ? ['-R', ...words.slice(1)] : words.slice(1)
  const less = env.LESS === undefined ? { LESS: 'FRX' } : {}
  using _held = holdInterrupts?.()
  return await runPager([program, ...args], text, { ...env, ...less, PATH: path.join(':') })
}

/** Returns null if the program is missing or its path is relative. */
function programAt(name: string, path: readonly string[]): string | null {
  if (name.includes('/')) return isAbsolute(name) && isProgram(name) ? name : null
  return path.map((folder) => join(folder, name)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The user may quit the pager early, which closes the pipe; that is no error. */
async function runPager(
  [program, ...args]: [string, ...string[]],
  text: string,
  env: Environment,
): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  // spawn throws here for a file that the kernel cannot run, such as a script without `#!`.
  const child = await Promise.try(() =>
    spawn(program, args, { env, stdio: ['pipe', 'inherit', 'inherit'] }),
  ).catch(() => null)
  if (child === null) return false
  const end = () => void child.kill()
  process.once('exit', end)
  child.on('error', () => resolve(false))
  child.on('close', (code) => resolve(code === 0))
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  return promise.finally(() => process.off('exit', end))
}
