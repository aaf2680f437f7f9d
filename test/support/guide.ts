import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { handbook, sortFurtherNames, type World, withoutProgress } from './e2e.ts'

/** A command in a document, and the output that the document shows for it. */
export type Shown = { command: string; output: string[] }

/**
 * Reads the ```` ```console ```` blocks of a document: a line `$ …` is a command, the lines after
 * it are its output.
 */
export function shownCommands(text: string): Shown[] {
  return blocks(text, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...output] = part.replace(/\n$/, '').split('\n')
        return { command, output }
      }),
  )
}

export function blocks(text: string, language: string): string[] {
  const all = text.matchAll(new RegExp(`^(\`{3,})${language}\\n(.*?)^\\1$`, 'gms'))
  return [...all].map(([, , block]) => block!)
}

/**
 * Opens a shell that runs commands as a reader would: in bash, with og on PATH and a copy of the
 * handbook.
 * @returns a function that runs a command and returns its lines on stdout and stderr, with the
 * placeholders of the documents
 */
export function openShell(world: World): (command: string) => Promise<string[]> {
  const cwd = join(world.folder, 'cwd')
  cpSync(handbook, join(cwd, 'handbook'), { recursive: true })
  const env = { ...world.env, PATH: `${join(world.folder, 'bin')}:${world.env.PATH}` }
  return async (command) => {
    const typed = command.replaceAll(places.cwd, cwd)
    const child = Bun.spawn(['bash', '-c', `{ ${typed}\n} 2>&1`], { cwd, env, stdout: 'pipe' })
    const printed = withoutProgress(await new Response(child.stdout).text())
    await child.exited
    const said = Object.entries(places).reduce(
      (text, [folder, place]) => text.replaceAll(join(world.folder, folder), place),
      printed,
    )
    return said === '' ? [] : said.replace(/\n$/, '').split('\n')
  }
}

const places = { cwd: '/srv/project', home: '~', bin: '/usr/local/bin' }

/**
 * Returns whether the output matches the lines of a document, in which `…` stands for any number of
 * lines.
 */
export function isShown([line, ...rest]: string[], printed: string[]): boolean {
  if (line === undefined) return printed.length === 0
  if (line === '…') {
    return isShown(rest, []) || printed.some((_, skipped) => isShown(rest, printed.slice(skipped)))
  }
  const [first, ...others] = printed
  return first !== undefined && settled(first) === settled(line) && isShown(rest, others)
}

/** Replaces the parts of a line that differ from run to run. */
export function settled(line: string): string {
  return sortFurtherNames(line)
    .replace(/\d{4}-\d\d-\d\d_\d{6}/g, 'BACKUP')
    .replace(/\d{4}-\d\d-\d\d/g, 'DATE')
    .replace(/\b\d\d:\d\d(:\d\d)?(Z?)\b/g, 'TIME$2')
    .replace(/\b\d+\.\d s\b/g, 'N s')
    .replace(/\(\d+ ms\)/g, '(N ms)')
    .replace(/score=\d+\.\d+/g, 'score=N')
    .replace(/\b\d+(?:\.\d)? kB\b/g, 'N kB')
    .replace(/: \d\.\d\d$/, ': N')
    .replace(/\b[0-9a-z]{8}-[0-9a-f]{6,8}\b/g, 'WRITE')
    .replace(/\b(entry) [0-9a-f]{12}\b/g, '$1 ENTRY')
    .replace(/\b(Bun|glibc) [\d.]+\d/g, '$1 N')
}
