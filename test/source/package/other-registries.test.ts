/** Maven, RubyGems, Packagist, Hex and NuGet: their settings, and a version of one package. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { hexRegistry } from '../../../src/source/package/other-registries.ts'
import { lookUpPackage } from '../../../src/source/package/look-up.ts'
import { mavenRegistry } from '../../../src/source/package/maven.ts'
import { nugetRegistry } from '../../../src/source/package/other-registries.ts'
import { parsePackage } from '../../../src/version/package-name.ts'
import { packagistRegistry } from '../../../src/source/package/other-registries.ts'
import { rubygemsRegistry } from '../../../src/source/package/other-registries.ts'
import { writeFiles, type Files } from '../../support/repository.ts'
import { openSite, type Replies } from '../../support/servers/site.ts'

let temp: TempFolder
beforeEach(async () => {
  temp = await createTempFolder('og-places')
})
afterEach(async () => temp[Symbol.asyncDispose]())

type Place = { files?: Files; env?: Record<string, string> }

function surroundings({ files = {}, env = {} }: Place) {
  writeFiles(temp.path, { 'home/.keep': '', ...files })
  const home = join(temp.path, 'home')
  return { env: { PATH: join(temp.path, 'bin'), ...env }, home, cwd: home }
}

/** Looks up a package on a server whose address replaces `HERE` in replies and settings. */
async function check(
  typed: string,
  replies: Replies,
  { files = {}, env = {}, ...expected }: Place & { release: object },
) {
  let origin = ''
  const here = (text: string) => text.replaceAll('HERE', origin)
  const answers = Object.entries(replies).map(([path, reply]) => [
    path,
    typeof reply === 'string' ? () => new Response(here(reply)) : reply,
  ])
  using site = openSite(Object.fromEntries(answers))
  origin = site.url
  const written = Object.entries(files).map(([path, text]) => [path, here(String(text))])
  const around = surroundings({
    files: Object.fromEntries(written),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value)])),
  })
  const { release } = await lookUpPackage(parsePackage(typed)!, { surroundings: around })
  const plain = JSON.parse(JSON.stringify(release).replaceAll(site.url, 'HERE'))
  expect(plain).toMatchObject(expected.release)
}

const client = (name: string, answer: string): Files => ({
  [`bin/${name}`]: `#!/bin/sh\necho '${answer}'\n`,
})

async function checkPlace(place: Promise<{ url: string }>, url: string) {
  expect((await place).url).toBe(url)
}

function withClient(name: string, answer: string) {
  const around = surroundings({ files: client(name, answer) })
  chmodSync(join(temp.path, 'bin', name), 0o755)
  return around
}

describe('Maven', () => {
  const settings =
    '<settings><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf><url>HERE/m2</url></mirror>' +
    '</mirrors></settings>'
  const folder = '/m2/org/pond/heron'

  test('reads the versions, the POM with its parent, and the archive of sources', () =>
    check(
      'maven:org.pond:heron@1',
      {
        [`${folder}/maven-metadata.xml`]:
          '<metadata><versioning><versions><version>1.1.0</version><version>1.2.0</version>' +
          '<version>2.0.0</version></versions></versioning></metadata>',
        [`${folder}/1.2.0/heron-1.2.0.pom`]:
          '<project><parent><groupId>org.pond</groupId><artifactId>birds</artifactId>' +
          '<version>3</version></parent><url>https://heron.example/</url>' +
          '<dependencies><dependency><url>https://no.example/</url></dependency></dependencies>' +
          '<scm><url>${scm}</url></scm></project>',
        '/m2/org/pond/birds/3/birds-3.pom':
          '<project><scm><url>https://git.example/heron</url></scm></project>',
        [`${folder}/1.2.0/heron-1.2.0-sources.jar.sha1`]: 'abc',
      },
      {
        files: { 'home/.m2/settings.xml': settings },
        release: {
          version: '1.2.0',
          repository: 'https://git.example/heron',
          pages: [{ url: 'https://heron.example/', isDocumentation: false }],
          archive: `HERE${folder}/1.2.0/heron-1.2.0-sources.jar`,
        },
      },
    ))

  test('has no archive if the sources are not published', () =>
    check(
      'maven:org.pond:heron',
      {
        [`${folder}/maven-metadata.xml`]:
          '<metadata><versioning><versions><version>1</version></versions></versioning></metadata>',
      },
      {
        files: { 'home/.m2/settings.xml': settings },
        release: { version: '1', repository: null, archive: null },
      },
    ))

  test('sends the name and password of the mirror, or asks the program of Maven', async () => {
    const files = {
      'home/.m2/settings.xml':
        '<settings><servers><server><id>own</id><username>me</username><password>p</password>' +
        '</server></servers><mirrors><mirror><id>own</id><mirrorOf>external:*,!x</mirrorOf>' +
        '<url>https://own.example/m2</url></mirror></mirrors></settings>',
    }
    const authorization = `Basic ${Buffer.from('me:p').toString('base64')}`
    expect(await mavenRegistry(surroundings({ files }))).toMatchObject({
      url: 'https://own.example/m2/',
      authorization,
    })
    await temp[Symbol.asyncDispose]()
    temp = await createTempFolder('og-places')
    const around = withClient('mvn', '')
    await expect(mavenRegistry(around)).rejects.toThrow(/nor does mvn/)
    const pom =
      '<project><repositories><repository><url>https://central.example/m2</url></repository>' +
      '</repositories></project>'
    writeFiles(temp.path, {
      'lib/maven-model-builder-3.x.jar': Buffer.from(
        zipSync({ 'org/maven/pom-4.0.0.xml': Buffer.from(pom), 'META-INF/A': new Uint8Array() }),
      ),
    })
    await checkPlace(mavenRegistry(around), 'https://central.example/m2/')
  })
})

describe('RubyGems', () => {
  const replies = {
    '/info/heron':
      '---\n1.1.0 |checksum:a\n1.2.0-java x:>= 1|checksum:b\n1.2.0 x:>= 1|checksum:c\n',
    '/api/v2/rubygems/heron/versions/1.2.0.json':
      '{"source_code_uri": "https://git.example/heron", "homepage_uri": "https://heron.example/"}',
  }

  test('reads the compact index and, if there is one, the API', () =>
    check('gem:heron', replies, {
      files: { 'home/.gemrc': ':sources:\n- HERE/\n' },
      release: {
        version: '1.2.0',
        repository: 'https://git.example/heron',
        archive: 'HERE/gems/heron-1.2.0.gem',
      },
    }))

  test('asks gem for its server', () =>
    checkPlace(
      rubygemsRegistry(withClient('gem', '*** CURRENT SOURCES ***\n\nhttps://gems.example/')),
      'https://gems.example/',
    ))
})

describe('Packagist', () => {
  test('expands the entries of the metadata', () =>
    check(
      'composer:pond/heron@^1.1',
      {
        '/packages.json': '{"metadata-url": "/meta/%package%.json"}',
        '/meta/pond/heron.json': JSON.stringify({
          packages: {
            'pond/heron': [
              { version: '2.0.0', source: { url: 'https://git.example/new' }, homepage: 'x' },
              {
                version: 'v1.2.0',
                source: { url: 'https://git.example/heron.git' },
                dist: { type: 'zip', url: 'HERE/heron.zip' },
                homepage: '__unset',
              },
              { version: 'v1.1.0', dist: { type: 'tar', url: 'HERE/heron.tar' } },
            ],
          },
        }),
      },
      {
        env: { COMPOSER_HOME: join(temp.path, 'home/composer') },
        files: {
          'home/composer/config.json': '{"repositories": [{"type": "composer", "url": "HERE"}]}',
        },
        release: {
          version: 'v1.2.0',
          repository: 'https://git.example/heron.git',
          pages: [],
          archive: 'HERE/heron.zip',
        },
      },
    ))

  test('asks composer for its repository', () =>
    checkPlace(
      packagistRegistry(
        withClient(
          'composer',
          '{"packagist.org":{"type":"composer","url":"https:\\/\\/php.example"}}',
        ),
      ),
      'https://php.example/',
    ))
})

describe('Hex', () => {
  const about = (hasDocs: boolean) =>
    JSON.stringify({
      releases: [{ version: '1.2.0', has_docs: hasDocs }],
      meta: { links: { GitHub: 'https://git.example/heron', Docs: 'https://docs.example/' } },
    })
  const env = { HEX_API_URL: 'HERE/api', HEX_MIRROR: 'HERE/repo' }

  test('reads the generated documentation, or the package', async () => {
    const urls = { version: '1.2.0', repository: 'https://git.example/heron' }
    await check(
      'hex:heron',
      { '/api/packages/heron': about(true) },
      { env, release: { ...urls, archive: 'HERE/repo/docs/heron-1.2.0.tar.gz' } },
    )
    await check(
      'hex:heron',
      { '/api/packages/heron': about(false) },
      { env, release: { ...urls, archive: 'HERE/repo/tarballs/heron-1.2.0.tar' } },
    )
  })

  test('asks mix for its addresses', async () => {
    const place = await hexRegistry(withClient('mix', 'api: "https://hex.example/api" (default)'))
    expect(place).toMatchObject({
      url: 'https://hex.example/api/',
      mirror: 'https://hex.example/api/',
    })
  })
})

describe('NuGet', () => {
  test('reads the service index, the versions and the nuspec', () =>
    check(
      'nuget:Pond.Heron',
      {
        '/v3/index.json':
          '{"resources": [{"@id": "HERE/flat/", "@type": "PackageBaseAddress/3.0.0"}]}',
        '/flat/pond.heron/index.json': '{"versions": ["1.1.0", "1.2.0"]}',
        '/flat/pond.heron/1.2.0/pond.heron.nuspec':
          '<package xmlns="x"><metadata><projectUrl>https://heron.example/</projectUrl>' +
          '<repository type="git" url="https://git.example/heron"/></metadata></package>',
      },
      {
        files: {
          'home/.nuget/NuGet/NuGet.Config':
            '<configuration><packageSources><add key="own" value="HERE/v3/index.json"/>' +
            '</packageSources></configuration>',
        },
        release: {
          version: '1.2.0',
          repository: 'https://git.example/heron',
          pages: [{ url: 'https://heron.example/', isDocumentation: false }],
          archive: 'HERE/flat/pond.heron/1.2.0/pond.heron.1.2.0.nupkg',
        },
      },
    ))

  test('asks dotnet for its feed', () =>
    checkPlace(
      nugetRegistry(withClient('dotnet', 'E https://feed.example/v3/index.json')),
      'https://feed.example/v3/index.json',
    ))
})

test('reports broken settings in one line', async () => {
  const files = {
    'home/.nuget/NuGet/NuGet.Config': '<a><b></a>',
    'home/.config/composer/config.json': '{"a":',
    'home/.m2/settings.xml': '</a>',
    'home/.gemrc': '#'.repeat(2 * 2 ** 20),
  }
  const around = surroundings({ files })
  const places = [nugetRegistry, packagistRegistry, mavenRegistry, rubygemsRegistry]
  const errors = await Promise.all(
    places.map((place) => place(around).then(String, (error: unknown) => error)),
  )
  for (const error of errors) {
    expect(error).toBeInstanceOf(OgError)
    expect((error as OgError).message).toMatch(/^Cannot read [^\n]+: [^\n]+$/)
  }
})
