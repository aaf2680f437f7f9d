import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arena, Concern } from './arena.ts'

const nPages = 60

/**
 * Fills disks and limits file sizes: `og` must print one clear line and keep the old state.
 */
export const fullDisks: Concern = {
  what: 'full disks and limits',
  async attack(arena) {
    const docs = join(arena.folder, 'docs')
    mkdirSync(docs)
    const section = (at: number) => `## S${at}\n\nWords ${at * 31} about topic ${at} and tasks.\n\n`
    const sections = Array.from({ length: 5 }, (_, at) => section(at)).join('')
    for (let at = 0; at < nPages; at++) {
      writeFileSync(join(docs, `p${at}.md`), `# Page ${at}\n\nNumber ${at}.\n\n${sections}`)
    }
    await arena.og('natives are unpacked', ['add', 'warm', '-s', docs, '-v', '1'])
    while (arena.hasTime()) {
      if (canMount()) await onSmallDisk(arena, docs)
      await underLimit(arena, docs)
      arena.round()
    }
  },
}

/** Whether this process may mount a file system that only its children see. */
function canMount(): boolean {
  return (
    process.getuid?.() === 0 &&
    Bun.which('unshare') !== null &&
    Bun.spawnSync(['unshare', '-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).success
  )
}

/** Fills a disk while a library is replaced, then makes room again. */
async function onSmallDisk(arena: Arena, docs: string): Promise<void> {
  const disk = join(arena.folder, 'disk')
  mkdirSync(disk, { recursive: true })
  const kb = 200 + arena.random.below(6000)
  const tag = `a disk of ${kb} kB`
  // The mount ends with its process, so a single script runs all commands on it.
  const script = `
    mount -t tmpfs -o size=${kb}k none '${disk}'
    og=$0
    step() { "$@" 2>&1; echo "code $?"; }
    step "$og" add lib -s '${docs}' -v 1
    step "$og" list --json
    step "$og" doctor --offline
    mount -o remount,size=80m '${disk}'
    step "$og" add lib -s '${docs}' -v 1
    step "$og" query 'topic tasks' -l lib
    step "$og" doctor --offline`
  const ran = await arena.og(tag, [], {
    prefix: ['unshare', '-m', 'bash', '-c', script],
    env: { OG_DB_PATH: join(disk, 'store') },
  })
  const codes = [...ran.stdout.matchAll(/^code (\d+)$/gm)].map(([, code]) => Number(code))
  if (codes.length !== 6) return arena.fail(tag, `codes ${codes}: ${ran.stdout}${ran.stderr}`)
  const [added, list, , again, query, doctor] = codes
  if (![0, 2].includes(added!)) arena.fail(tag, `og add ended with ${added}: ${ran.stdout}`)
  if (list !== 0) arena.fail(tag, `og list ended with ${list} on the full disk: ${ran.stdout}`)
  if (again !== 0 || query !== 0 || doctor! > 1) {
    const codesAfter = `add ${again}, query ${query}, doctor ${doctor}`
    arena.fail(tag, `with room again: ${codesAfter}: ${ran.stdout}`)
  }
}

/** Limits file sizes with RLIMIT_FSIZE, however much space the disk has. */
async function underLimit(arena: Arena, docs: string): Promise<void> {
  const kb = arena.random.one([1, 16, 64, 256, 1024])
  const tag = `files of at most ${kb} kB`
  const env = { OG_DB_PATH: join(arena.folder, `limited-${arena.found.rounds}`) }
  // In bash, a block is 1,024 bytes.
  const prefix = ['bash', '-c', `ulimit -f ${kb}; exec "$0" "$@"`]
  const added = await arena.og(tag, ['add', 'lib', '-s', docs, '-v', '1'], { env, prefix })
  const list = await arena.og(tag, ['list', '--json'], { env })
  if (list.exitCode !== 0) arena.fail(tag, `og list: ${list.stderr}`)
  if (added.exitCode === 2 && list.stdout.includes('"lib"')) {
    arena.fail(tag, 'og add failed, and the library is listed')
  }
  const again = await arena.og(tag, ['add', 'lib', '-s', docs, '-v', '1'], { env })
  if (again.exitCode !== 0) arena.fail(tag, `without the limit og add failed: ${again.stderr}`)
}
