import { expect } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../package.json'
import { freeOldNatives } from '../../../src/library/free.ts'
import { createWorld, type World } from '../../support/e2e.ts'
import { serveRelease, type ReleaseServer } from '../../support/servers/release.ts'
import { testWhere } from '../../support/where.ts'

const lack = process.platform === 'linux' ? null : 'the made release is for Linux'

/**
 * Writes a script that answers the commands that an upgrade tries; `broken` is the command that
 * fails.
 */
const scriptOf = (said: string, broken = 'none') => `#!/bin/sh
[ "$1" = ${broken} ] && { echo "error: no such instruction" >&2; exit 132; }
case $1 in
  version) echo ${said} ;;
  query) echo '{"hits":[{"url":"kettle.md","content":"Vinegar"}]}' ;;
esac
`

type Published = {
  world: World
  server: ReleaseServer
  env: Record<string, string>
  bin: string
  /** Sorted names of the files in `bin` before an upgrade: `og`, and ONNX Runtime beside it. */
  shipped: string[]
}

async function published(
  { said = '9.9.9', broken = 'none' }: { said?: string; broken?: string },
  work: (it: Published) => Promise<void>,
): Promise<void> {
  await using world = await createWorld()
  const script = scriptOf(said, broken)
  const place = join(world.folder, 'release')
  using server = await serveRelease(place, { version: '9.9.9', script })
  const env = { OG_UPDATE_URL: server.base, OG_UPDATE_KEY: server.publicKey }
  const bin = join(world.folder, 'bin')
  await work({ world, server, env, bin, shipped: readdirSync(bin).sort() })
}

/** Checks that the upgrade fails and leaves the executable and its folder unchanged. */
async function refused(
  { world, env, bin, shipped }: Published,
  stderr: RegExp,
  args: string[] = [],
) {
  await world.check(['upgrade', ...args], { exitCode: 2, stderr }, { env })
  expect(readdirSync(bin).sort()).toEqual(shipped)
  await world.check(['version'], { stdout: `${version}\n` })
}

testWhere(lack)('upgrades and rolls back', () =>
  published({}, async ({ world, server, env, bin, shipped }) => {
    const line = `og 9.9.9 is released; this is ${version}.\n`
    await world.check(['upgrade', '--check'], { exitCode: 1, stdout: line }, { env })
    expect(server.asked.some((path) => path.includes('.tar.'))).toBe(false)
    await world.check(
      ['upgrade'],
      {
        stdout: `Upgraded og ${version} to 9.9.9; "og upgrade --rollback" returns to it.\n`,
        stderr: /^Fetching og 9.9.9, 0 MB, and trying it\n$/,
      },
      { env },
    )
    expect(readdirSync(bin).sort()).toEqual([...shipped, 'og.previous'].sort())
    await world.check(['version'], { stdout: '9.9.9\n' })
    const old = join(bin, 'og.previous')
    const ran = Bun.spawnSync([old, 'version'], { env: world.env })
    expect(ran.stdout.toString()).toBe(`${version}\n`)
  }),
)

testWhere(lack)('og gc keeps the unpacked libraries of the previous version for a rollback', () =>
  published({}, async ({ world, env, bin }) => {
    const cache = join(world.folder, 'cache')
    const kept = join(cache, 'natives', '.kept.json')
    const run = { env: { ...env, OG_CACHE_DIR: cache } }
    await world.check(['upgrade'], { stdout: /^Upgraded/, stderr: /^Fetching/ }, run)
    const [[path, [core]]] = Object.entries<any>(JSON.parse(readFileSync(kept, 'utf8'))) as any
    expect(path).toBe(join(bin, 'og.previous'))
    Bun.spawnSync([path, 'doctor', '--offline'], { env: { ...world.env, ...run.env } })
    expect(readdirSync(join(cache, 'natives', core))).toContain('lancedb.node')
    // Runs the same cleanup as the new version.
    expect(await freeOldNatives(join(cache, 'natives'), { own: [], isDry: false })).toMatchObject({
      count: 0,
    })
  }),
)

testWhere(lack)('rolls back to the previous version, and keeps the newer one', () =>
  published({}, async (it) => {
    const { world, bin } = it
    await refused(it, /Cannot roll back: there is no file .*og.previous/, ['--rollback'])
    writeFileSync(join(bin, 'og.previous'), scriptOf('0.0.1'), { mode: 0o755 })
    const stdout = `Rolled back from og ${version} to 0.0.1.\n`
    await world.check(['upgrade', '--rollback'], { stdout })
    await world.check(['version'], { stdout: '0.0.1\n' })
    expect(readFileSync(join(bin, 'og.previous')).length).toBeGreaterThan(1e8)
  }),
)

testWhere(lack)('does not install a truncated, modified, unsigned, older or foreign file', () =>
  published({}, async (it) => {
    const { server, env } = it
    const archive = (other: Response) => (name: string) => (name.includes('.tar.') ? other : null)
    server.answer = archive(new Response('cut'))
    await refused(it, /error: Cannot .*nothing was changed/s)
    server.answer = (name) => (name.endsWith('.minisig') ? new Response('', { status: 404 }) : null)
    await refused(it, /SHA256SUMS.minisig": the server answers 404/)
    server.answer = null
    await refused(it, /the server answers 404/, ['v1.2.3'])
    await refused(it, /it is not a version/, ['soon'])
    await refused({ ...it, env: {} }, /has no release URL\nhint: set OG_UPDATE_URL/)
    rmSync(join(server.folder, 'release.json'))
    await refused(it, /release.json": the server answers 404/)
    await using old = await createWorld()
    using older = await serveRelease(join(old.folder, 'release'), {
      version: '0.0.1',
      script: scriptOf('0.0.1'),
    })
    const from = { OG_UPDATE_URL: older.base, OG_UPDATE_KEY: older.publicKey }
    const stdout = `This is og ${version}, and the newest release 0.0.1.\n`
    await old.check(['upgrade'], { stdout }, { env: { ...env, ...from } })
    expect(older.asked.some((path) => path.includes('.tar.'))).toBe(false)
  }),
)

for (const broken of ['version', 'doctor', 'add', 'query']) {
  testWhere(lack)(`does not install an executable whose og ${broken} fails here`, () =>
    published({ broken }, (it) =>
      refused(it, new RegExp(`og ${broken} failed: error: no such instruction\nhint: nothing was`)),
    ),
  )
}

testWhere(lack)('does not install an executable of another version', () =>
  published({ said: '9.9.8' }, (it) => refused(it, /it reports version 9.9.8/)),
)

testWhere(lack)('leaves the old or the new og in place if it is killed at any point', () =>
  published({}, async ({ world, server, env, bin, shipped }) => {
    const isAsked = Promise.withResolvers<void>()
    server.answer = (name) => {
      if (!name.includes('.tar.')) return null
      isAsked.resolve()
      return new Response(new ReadableStream({ start: (it) => it.enqueue(new Uint8Array(9)) }))
    }
    const running = world.start(['upgrade'], { env })
    await isAsked.promise
    running.kill('SIGKILL')
    await running.ended
    await world.check(['version'], { stdout: `${version}\n` })
    server.answer = null
    await world.check(['upgrade'], { stdout: /^Upgraded/, stderr: /^Fetching/ }, { env })
    expect(readdirSync(bin).sort()).toEqual([...shipped, 'og.previous'].sort())
  }),
)

testWhere(lack)('of two upgrades at once, one installs, and the old og stays for a rollback', () =>
  published({}, async ({ world, server, env, bin, shipped }) => {
    const bothRead = Promise.withResolvers<void>()
    let requests = 0
    server.answer = (name) => {
      if (name !== 'release.json') return null
      if (++requests === 2) bothRead.resolve()
      return bothRead.promise.then(() => new Response(Bun.file(join(server.folder, name))))
    }
    const runs = ['one', 'two'].map((home) =>
      world.start(['upgrade', '--json'], { env: { ...env, HOME: join(world.folder, home) } }),
    )
    const answers = await Promise.all(runs.map(async (it) => JSON.parse((await it.ended).stdout)))
    expect(answers.map(({ status }) => status).sort()).toEqual(['current', 'upgraded'])
    expect(readdirSync(bin).sort()).toEqual([...shipped, 'og.previous'].sort())
    expect(readFileSync(join(bin, 'og.previous')).length).toBeGreaterThan(1e8)
    await world.check(['version'], { stdout: '9.9.9\n' })
  }),
)
