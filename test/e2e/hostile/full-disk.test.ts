import { expect } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, withoutProgress } from '../../support/e2e.ts'
import { testWhere } from '../../support/where.ts'

/** Returns true if a process on this machine can mount a file system that only it sees. */
function canMount(): boolean {
  return (
    process.getuid?.() === 0 &&
    Bun.which('unshare') !== null &&
    Bun.spawnSync(['unshare', '-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).success
  )
}

const small = testWhere(canMount() ? null : 'no small file system can be mounted here')

small('a full disk is one clear line, and what was there stays whole', async () => {
  await using world = await createWorld()
  const disk = join(world.folder, 'disk')
  const large = join(world.folder, 'large')
  mkdirSync(disk)
  mkdirSync(large)
  const line = (at: number) => `Sentence ${at} of very many says nothing about ${at * 7919}.\n`
  const text = Array.from({ length: 50_000 }, (_, at) => line(at)).join('')
  writeFileSync(join(large, 'large.md'), `# Large\n\n${text}`)
  // The mount disappears with its process, so one process runs all commands.
  const script = `
    mount -t tmpfs -o size=4m none '${disk}'
    answer() { "$@" 2>&1; echo "exit code $?"; }
    og=$0
    answer "$og" add small -s '${handbook}' -v 1 >&2
    answer "$og" add small -s '${large}' -v 1
    answer "$og" add other -s '${large}' -v 1
    ls '${disk}/store/generations' | wc -l
    dd if=/dev/zero of='${disk}/rest' bs=512 2>/dev/null
    answer "$og" add other -s '${handbook}' -v 1
    answer "$og" list --json
    answer "$og" query citric acid -k 1 --json
    rm '${disk}/rest'
    answer "$og" add other -s '${handbook}' -v 1
    answer "$og" list`
  const { stdout, stderr } = await world.og([], {
    prefix: ['unshare', '-m', 'bash', '-c', script],
    env: { OG_DB_PATH: join(disk, 'store') },
  })
  expect(stderr).toEndWith('exit code 0\n')
  const answers = withoutProgress(stdout).split(/exit code \d\n/)
  const [first, second, third, list, query, again, end] = answers
  const codes = stdout.match(/(?<=exit code )\d/g)!.join('')
  expect(codes).toBe('22200' + '00')
  for (const failed of [first, second, third]) {
    expect(failed).toMatch(/^(\d+\n)?error: Cannot .*disk.* full.*\nhint: .*\n$/)
  }
  expect(third).toStartWith('1\n')
  expect(JSON.parse(list!)).toMatchObject([{ library: 'small', version: '1', pages: 8 }])
  expect(JSON.parse(query!).hits[0].heading).toBe('Brewing > Descaling')
  expect(again).toContain('other 1: added')
  expect(end).toMatch(/^LIBRARY.*\nother .*\nsmall .*\n$/)
})
