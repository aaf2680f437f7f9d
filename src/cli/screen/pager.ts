import { accessSync, constants, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { Environment } from '../../config/env.ts'

/**
 * Shows a text through the program that PAGER names, or else less. PAGER is words and no line for a
 * shell; a program is looked for in the absolute folders of PATH alone, so that none of the current
 * folder is run. Ctrl-C is the pager's while it runs.
 * @returns false where it did not show all to its reader: then the text is still to be written
 */
export async function paged(
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
  return await shownBy([program, ...args], text, { ...env, ...less, PATH: path.join(':') })
}

/** Null where there is none, and where the name leads into the current folder. */
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

/** What a reader leaves unread closes the pipe, and is no fault. */
async function shownBy(
  [program, ...args]: [string, ...string[]],
  text: string,
  env: Environment,
): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  // A file that no kernel runs, such as a script without its first line, is refused here.
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
