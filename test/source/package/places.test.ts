/** Tests how registries are found in the settings of their clients. */
import { describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { cratesRegistry } from '../../../src/source/package/crates.ts'
import { goRegistries } from '../../../src/source/package/go.ts'
import { npmRegistry } from '../../../src/source/package/npm.ts'
import { pypiRegistry } from '../../../src/source/package/pypi.ts'
import { defaultRegistryUrl } from '../../../src/source/package/client-default.ts'
import { readSettings } from '../../../src/source/package/settings-file.ts'
import { writeFiles, type Files } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-places'))

type Env = Record<string, string>

/** Writes these files to a home and a project. */
function place(files: Files = {}, env: Env = {}) {
  writeFiles(temp().path, { 'home/.keep': '', 'home/project/.keep': '', ...files })
  const home = join(temp().path, 'home')
  return { env, home, cwd: join(home, 'project') }
}

/** Fake clients on PATH that print a registry. */
function clients(said: Partial<Record<'npm' | 'python3' | 'go', string>>): Env {
  for (const [name, answer] of Object.entries(said)) {
    writeFiles(temp().path, { [`bin/${name}`]: `#!/bin/sh\necho '${answer}'\n` })
    chmodSync(join(temp().path, 'bin', name), 0o755)
  }
  return { PATH: `${join(temp().path, 'bin')}:/usr/bin:/bin` }
}

const own = {
  npm: 'https://a.own.example/',
  pypi: 'https://b.own.example/packages/',
  crates: 'https://index.own.example/',
  go: 'https://c.own.example/',
}
const saying = () => clients({ npm: own.npm, python3: own.pypi, go: `${own.go},direct` })
const usedIndex = {
  'home/.cargo/registry/index/index.own.example-0123456789abcdef/config.json': '{}',
}

describe('the registry of npm', () => {
  const check = async (name: string, around: ReturnType<typeof place>, expected: object) =>
    expect(await npmRegistry(around, name)).toMatchObject(expected)

  test("reads the registry from npm, the user's file or the environment variable", async () => {
    const said = { url: own.npm, authorization: null, isStranger: false }
    await check('zod', place({}, { ...saying(), npm_config_globalconfig: '/dev/null' }), said)
    const files = { 'home/.npmrc': 'registry=http://10.0.0.5/npm\n; a comment\n' }
    await check('zod', place(files), { url: 'http://10.0.0.5/npm/', isStranger: false })
    await check('zod', place(files, { NPM_CONFIG_REGISTRY: 'http://10.0.0.6' }), {
      url: 'http://10.0.0.6/',
      isStranger: false,
    })
  })

  test("chooses the registry by scope, with the user's token for that host and path", async () => {
    const files = {
      'home/.npmrc':
        '@team:registry=https://packages.team.example/a/\n' +
        '//packages.team.example/:_authToken=other\n//packages.team.example/a/:_authToken=${TOKEN}\n',
    }
    await check('@team/x', place(files, { TOKEN: 'secret' }), {
      url: 'https://packages.team.example/a/',
      authorization: 'Bearer secret',
    })
    await check('@else/x', place(files, saying()), { url: own.npm, authorization: null })
  })

  test("reads only the URL from the project's file, without tokens or variables", async () => {
    const files = {
      'home/project/.npmrc':
        'registry=https://evil.example/${HOME}/\n//evil.example/:_authToken=x\n',
      'home/.npmrc': '//evil.example/:_authToken=mine\n',
    }
    await check('zod', place(files, { HOME: '/secret' }), {
      url: 'https://evil.example/${HOME}/',
      authorization: null,
      isStranger: true,
    })
  })
})

describe('the index of pip', () => {
  const check = async (around: ReturnType<typeof place>, url: string) =>
    expect(await pypiRegistry(around)).toEqual({ url, authorization: null, isStranger: false })

  test('reads the index from pip, the file or the environment variable', async () => {
    const none = { PIP_CONFIG_FILE: '/dev/null' }
    await check(place({}, { ...none, ...saying() }), own.pypi)
    const files = {
      'home/.config/pip/pip.conf': '[global]\ntimeout = 3\nindex-url = http://10.0.0.5/simple\n',
      'venv/pip.conf': '[install]\nindex_url=http://10.0.0.7/simple/\n',
    }
    await check(place(files), 'http://10.0.0.5/simple/')
    await check(place(files, { VIRTUAL_ENV: join(temp().path, 'venv') }), 'http://10.0.0.7/simple/')
    await check(
      place(files, { PIP_INDEX_URL: 'http://u:p@10.0.0.6/simple' }),
      'http://u:p@10.0.0.6/simple/',
    )
  })
})

describe('the index of cargo', () => {
  const mirror = (url: string) =>
    `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "${url}"\n`

  test('reads the index from cargo, or its replacement', async () => {
    expect(await cratesRegistry(place(usedIndex))).toEqual({
      url: own.crates,
      authorization: null,
      isStranger: false,
    })
    const files = { 'home/.cargo/config.toml': mirror('sparse+http://10.0.0.5/index/') }
    expect(await cratesRegistry(place(files))).toEqual({
      url: 'http://10.0.0.5/index/',
      authorization: null,
      isStranger: false,
    })
    expect(
      await cratesRegistry(
        place(
          {
            'cargo/config.toml':
              '[source.crates-io]\nreplace-with = "team"\n[registries.team]\n' +
              'index = "sparse+http://10.0.0.8/"\n',
          },
          { CARGO_HOME: join(temp().path, 'cargo') },
        ),
      ),
    ).toMatchObject({ url: 'http://10.0.0.8/' })
  })

  test("marks an index from the project's file as a stranger's", async () => {
    const files = { 'home/project/.cargo/config.toml': mirror('sparse+http://10.0.0.9/') }
    expect(await cratesRegistry(place(files))).toMatchObject({
      url: 'http://10.0.0.9/',
      isStranger: true,
    })
  })

  test('reports an index in git or a broken file in one line', async () => {
    await expect(
      cratesRegistry(place({ 'home/.cargo/config.toml': mirror('https://x.example/i.git') })),
    ).rejects.toThrow(/^Cannot read the index that the settings of cargo name: it is not a sparse/)
    await expect(cratesRegistry(place({ 'home/.cargo/config.toml': '[[[' }))).rejects.toThrow(
      /^Cannot read the settings of cargo in ".*": they are not valid TOML$/,
    )
  })
})

test('lets cargo create the folder of its index if it has never been used', async () => {
  const index = '.cargo/registry/index/index.own.example-0123456789abcdef'
  writeFiles(temp().path, { 'bin/cargo': `#!/bin/sh\n/bin/mkdir -p "$PWD/${index}"\nexit 1\n` })
  chmodSync(join(temp().path, 'bin', 'cargo'), 0o755)
  const around = place({}, { PATH: join(temp().path, 'bin') })
  expect(await cratesRegistry(around)).toMatchObject({ url: own.crates })
})

describe('the proxies of go', () => {
  const check = async (around: ReturnType<typeof place>, urls: string[], isDirect: boolean) => {
    const { proxies, ...rest } = await goRegistries('git.team.example/a/b', around)
    expect(proxies.map(({ url, isFallible }) => url + (isFallible ? ' |' : ''))).toEqual(urls)
    expect(rest).toEqual({ isDirect })
  }

  test('reads the proxies from go, the environment variable, or the file that go writes', async () => {
    await check(place({}, saying()), [own.go], true)
    await check(
      place({}, { GOPROXY: 'http://a.example|http://b.example/x,off,direct' }),
      ['http://a.example/ |', 'http://b.example/x/'],
      false,
    )
    await check(
      place({ 'home/.config/go/env': 'GOPROXY=http://c.example,direct\n' }),
      ['http://c.example/'],
      true,
    )
    await check(
      place({ 'home/.config/go/env': 'GOPROXY=http://c.example\n' }, { ...saying(), GOENV: 'off' }),
      [own.go],
      true,
    )
  })

  test('asks no proxy for a private module', async () => {
    await check(place({}, { GOPRIVATE: 'x.example,*.team.example/a' }), [], true)
    await check(place({}, { ...saying(), GONOPROXY: 'git.*/b' }), [own.go], true)
  })
})

test('parses a settings file: tables, quotes and comments', async () => {
  place({ 'home/x': '# c\na = 1\n[t]\nb="2 3"\n;d=4\nnonsense\n' })
  expect([...(await readSettings(join(temp().path, 'home/x')))]).toEqual([
    ['a', '1'],
    ['t.b', '2 3'],
  ])
  expect([...(await readSettings(join(temp().path, 'home/none')))]).toEqual([])
})

test('explains how to configure a registry if neither a setting nor the client names one', async () => {
  const around = place({}, { PATH: join(temp().path, 'nowhere') })
  for (const [kind, hint] of [
    ['npm', 'npm config set registry'],
    ['pypi', 'PIP_INDEX_URL'],
    ['crates', 'replace-with'],
    ['go', 'GOPROXY'],
  ] as const) {
    const refused = await defaultRegistryUrl(kind, around).then(
      () => null,
      (error) => error,
    )
    expect(refused.message).toStartWith('Cannot tell where the registry is: no setting names one')
    expect(refused.hint).toContain(hint)
  }
  const odd = place({}, clients({ npm: 'undefined' }))
  await expect(defaultRegistryUrl('npm', odd)).rejects.toThrow('nor does npm')
})
