import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { withoutNetwork } from '../../support/ordinary-user.ts'
import { writeFiles } from '../../support/repository.ts'
import { testWhere } from '../../support/where.ts'

/** Creates a world with two libraries. */
async function stocked(): Promise<World> {
  const world = await createWorld({ embeddings: true })
  writeFiles(join(world.folder, 'lamp'), { 'index.md': '# Lamp\n\nA lamp gives light.\n' })
  await world.json(['add', 'kettle', '-s', handbook, '-v', '1', '--json'])
  await world.json(['add', 'lamp', '-s', join(world.folder, 'lamp'), '-v', '2', '--json'])
  return world
}

test('packs all libraries into a folder, and adds several packs in one command', async () => {
  await using world = await stocked()
  await world.check(['pack', '--all', '-o', 'out/packs'], {
    stdout: /^out\/packs\/kettle-1\.ogpack: [\d.]+ kB\nout\/packs\/lamp-2\.ogpack: [\d.]+ kB\n$/,
  })
  const packs = ['out/packs/kettle-1.ogpack', 'out/packs/lamp-2.ogpack']
  for (const version of ['1', '2']) {
    await world.og(['remove', version === '1' ? 'kettle' : 'lamp', '-v', version, '-y'])
  }
  await world.check(['add', ...packs], {
    exitCode: 2,
    stderr: /^error: Cannot trust 2 packs: it is not signed\nhint: --trust/,
  })
  truncateSync(join(world.folder, 'cwd', packs[0]!), 3000)
  await world.check(['add', '--trust', ...packs], {
    exitCode: 1,
    stdout: /^lamp 2: added\n/,
    stderr: /^error: Cannot use pack ".*kettle-1.*cut off\n/,
  })
  await world.check(['add', '--trust', packs[0]!, packs[0]!], { exitCode: 2, stderr: /cut off/ })
  await world.check(['add', '--trust', packs[0]!, 'kettle'], {
    exitCode: 2,
    stderr: /^error: Cannot add "kettle" together with others: only packs/,
  })
  await world.check(['pack', '--all', 'kettle'], {
    exitCode: 2,
    stderr: 'error: --all cannot be used with LIBRARY\n',
  })
})

const cutOff = withoutNetwork()
const lack = cutOff === null ? 'no network namespaces' : null

testWhere(lack)('a bundle installs itself on an empty machine without network access', async () => {
  await using made = await stocked()
  await made.og(['config', 'set', 'query.top_k', '2'])
  await made.og(['config', 'set', 'embeddings.api_key', 'a-secret-key'])
  await made.check(['pack', '--bundle', '-o', '.'], {
    stdout: /^og-\S+-bundle\.tar\.gz: og \S+, 2 packs, [\d.]+ MB\n$/,
    stderr: /^hint: there: tar xf it, /,
  })
  const [bundle] = readdirSync(join(made.folder, 'cwd'))
  const machine = join(made.folder, 'machine')
  const home = join(machine, 'home')
  mkdirSync(home, { recursive: true })
  const run = (words: string[], env: object = {}) => {
    const ran = Bun.spawnSync([...cutOff!, ...words], {
      cwd: machine,
      env: { HOME: home, PATH: '/usr/bin:/bin', TMPDIR: made.env.TMPDIR!, ...env },
    })
    return { code: ran.exitCode, stdout: `${ran.stdout}`, stderr: `${ran.stderr}` }
  }
  expect(run(['tar', 'xf', join(made.folder, 'cwd', bundle!)]).code).toBe(0)
  const folder = join(machine, 'og-bundle')
  expect(readdirSync(folder).sort()).toEqual([
    'SHA256SUMS',
    'config.json',
    'install.sh',
    'og',
    'packs',
  ])
  const config = readFileSync(join(folder, 'config.json'), 'utf8')
  expect(JSON.parse(config).query).toEqual({ top_k: 2 })
  expect(config).not.toContain('secret')
  const pack = join(folder, 'packs/lamp-2.ogpack')
  const whole = readFileSync(pack)
  writeFileSync(pack, 'damaged on its way')
  const refused = run(['sh', 'og-bundle/install.sh'])
  expect(refused.stderr).toMatch(/^packs\/lamp-2\.ogpack: FAILED\n/)
  expect(refused.stderr).toContain('error: Cannot install: a file of the bundle is damaged\nhint:')
  expect([refused.code, readdirSync(home)]).toEqual([1, []])
  writeFileSync(pack, whole)
  expect(run(['sh', 'og-bundle/install.sh'], { HOME: '' })).toMatchObject({
    code: 1,
    stderr: 'error: Cannot install: HOME is not set\nhint: set OG_INSTALL_DIR\n',
  })
  const installed = run(['sh', 'og-bundle/install.sh'])
  expect(installed.stderr).toContain(`hint: ${home}/.local/bin is not in PATH`)
  expect(installed.code).toBe(0)
  expect(installed.stdout).toMatch(/^kettle 1: added\n/)
  rmSync(folder, { recursive: true })
  const asked = run([join(home, '.local/bin/og'), 'query', 'what gives light', '--json'])
  const { hits } = JSON.parse(asked.stdout)
  expect(run([join(home, '.local/bin/og'), 'config', 'get', 'query.top_k']).stdout).toBe('2\n')
  expect(hits[0]).toMatchObject({ library: 'lamp', version: '2' })
})
