import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Arena, Concern } from './arena.ts'
import { hostileDocuments, mutated, type Hostile } from './documents.ts'

const root = join(import.meta.dir, '..', '..')
/** Findings are saved in this folder; add them to `hostileDocuments` or to the fixtures. */
const findings = join(root, 'build', 'attack')

/** Gives `og add` pages designed to attack the parsers, and a good page that it must still find. */
export const savedPages: Concern = {
  what: 'pages made to be slow, large or wrong',
  async attack(arena) {
    for (const size of [2_000, 60_000, 400_000]) {
      const documents = hostileDocuments(size)
      for (let at = 0; at < documents.length && arena.hasTime(); at += 12) {
        const batch = documents.slice(at, at + 12)
        if (await isTaken(arena, batch)) continue
        for (const document of batch) {
          if (!(await isTaken(arena, [document]))) keep(arena, document, 'og add failed')
        }
      }
    }
  },
}

/**
 * Gives randomly changed real pages to the parser, and also to `og add` if the parser does not
 * answer.
 */
export const mutatedPages: Concern = {
  what: 'pages changed at random',
  async attack(arena) {
    const seeds = seedPages()
    let parser = startParser()
    while (arena.hasTime(50)) {
      const { path, text: before } = arena.random.one(seeds)
      const text = mutated(before, { random: arena.random, path })
      const document = { name: 'changed', path, text }
      const answer = await parser.parse(document)
      arena.round()
      if (answer === null) {
        parser.end()
        parser = startParser()
        if (!(await isTaken(arena, [document]))) keep(arena, document, 'og add failed')
        continue
      }
      arena.spent(answer.ms, answer.sizeMb)
      if (answer.fault !== null) keep(arena, document, answer.fault)
    }
    parser.end()
  },
}

/**
 * Returns true if `og add` reads the pages or reports why not, and still finds the good page among
 * them.
 */
async function isTaken(arena: Arena, documents: Hostile[]): Promise<boolean> {
  const folder = join(arena.folder, 'pages')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  writeFileSync(join(folder, 'good.md'), '# Good\n\nThe pelican waits beside the harbour.\n')
  for (const [at, { path, text }] of documents.entries()) {
    writeFileSync(join(folder, `p${at}${extname(path)}`), text)
  }
  const before = arena.found.failures.length
  const name = documents.map(({ name }) => name).join(' ')
  await arena.og(name, ['add', 'hostile', '-s', folder, '-v', '1', '--force'])
  arena.round()
  const asked = ['query', 'pelican harbour', '-l', 'hostile']
  const { stdout } = await arena.og(name, asked)
  if (!stdout.includes('pelican')) arena.fail(name, 'the good page beside it is not found')
  const isFine = arena.found.failures.length === before
  // Drops the failures of a batch, because the caller then tries each of its pages separately.
  if (documents.length > 1) arena.found.failures.length = before
  return isFine
}

function keep(arena: Arena, { name, path, text }: Hostile, why: string): void {
  mkdirSync(findings, { recursive: true })
  const kept = join(findings, `${Bun.hash(text).toString(36)}-${path}`)
  writeFileSync(kept, text)
  arena.fail(name, `${why} (${kept})`)
}

function seedPages(): { path: string; text: string }[] {
  const folders = ['test/fixtures/handbook', 'test/fixtures/page', 'docs']
  const files = folders.flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[]).map((name) =>
      join(root, folder, name),
    ),
  )
  const real = files
    .filter((path) => /\.(mdx?|rst|adoc|ipynb|html|txt)$/.test(path))
    .map((path) => ({ path: `seed${extname(path)}`, text: readFileSync(path, 'utf8') }))
  return [...real, ...hostileDocuments(300)]
}

type Answer = { fault: string | null; sizeMb: number; ms: number }
type Parser = { parse(document: Hostile): Promise<Answer | null>; end(): void }

/**
 * Starts the parser process. `parse` returns null after 20 s without an answer, or if the process
 * has died.
 */
function startParser(): Parser {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'page-parser.ts')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  async function line(): Promise<string | null> {
    while (!rest.includes('\n')) {
      const { value, done } = await reader.read()
      if (done) return null
      rest += value
    }
    const end = rest.indexOf('\n')
    const first = rest.slice(0, end)
    rest = rest.slice(end + 1)
    return first
  }
  return {
    async parse({ path, text }) {
      const began = performance.now()
      child.stdin.write(`${JSON.stringify({ path, text })}\n`)
      child.stdin.flush()
      const said = await Promise.race([line(), Bun.sleep(20_000).then(() => null)])
      return said === null ? null : { ...JSON.parse(said), ms: performance.now() - began }
    },
    end: () => child.kill('SIGKILL'),
  }
}
