import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { archiveTexts } from '../archive/archive.ts'
import { defaultRegistryUrl } from './client-default.ts'
import { namesIn } from './installed.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  type Registry,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  documentationUrls,
  type PackageRelease,
  locationOf,
} from './registry.ts'
import { readTextOrEmpty, xmlElements, xmlText, type XmlElement } from './settings-file.ts'

const accept = 'application/xml, text/xml, */*;q=0.5'

export async function mavenRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const [group = '', artifact = ''] = packageName.name.split(':')
  const metadata = await registry.text(`${folderOf(group, artifact)}maven-metadata.xml`, accept)
  if (metadata === null) return null
  const listed = xmlElements(metadata, 'maven-metadata.xml').filter(({ path }) =>
    path.endsWith('/versions/version'),
  )
  const versions = listed.map(({ text }) => text)
  const version = chooseRegistryVersion(packageName, versions)
  const { repository, homepage } = await urlsOf({ group, artifact, version }, registry)
  const sources = `${fileOf({ group, artifact, version })}-sources.jar`
  const hasSources = (await registry.text(`${sources}.sha1`, '*/*')) !== null
  return {
    version,
    repository,
    tags: [...new Set([version, `${artifact}-${version}`, `rel/${artifact}-${version}`])],
    pages: documentationUrls([['homepage', homepage]]),
    archive: hasSources ? registry.address(sources) : null,
  }
}

type Coordinates = { group: string; artifact: string; version: string }

function folderOf(group: string, artifact: string): string {
  return `${group.replaceAll('.', '/')}/${artifact}/`
}

function fileOf({ group, artifact, version }: Coordinates): string {
  return `${folderOf(group, artifact)}${version}/${artifact}-${version}`
}

/** Maximum number of parent POMs to follow. */
const maxParents = 4

async function urlsOf(
  first: Coordinates,
  registry: Registry,
): Promise<{ repository: string | null; homepage: string | null }> {
  let repository: string | null = null
  let homepage: string | null = null
  let at: Coordinates | null = first
  for (let depth = 0; at !== null && depth < maxParents && repository === null; depth++) {
    const pom: string | null = await registry.text(`${fileOf(at)}.pom`, accept)
    const elements: XmlElement[] = pom === null ? [] : xmlElements(pom, 'a POM')
    const url = (path: string) => {
      const text = xmlText(elements, path)
      return text === '' || text.includes('${') ? null : text
    }
    homepage ??= url('project/url')
    repository = url('project/scm/url') ?? url('project/scm/connection')
    at = parentOf(elements)
  }
  return { repository: repository?.replace(/\/tree\/[^/]*$/, '') ?? null, homepage }
}

function parentOf(elements: readonly XmlElement[]): Coordinates | null {
  const [group, artifact, version] = ['groupId', 'artifactId', 'version'].map((name) =>
    xmlText(elements, `project/parent/${name}`),
  )
  const parts = [group, artifact, version]
  return parts.every((part) => part && /^[\w.-]+$/.test(part))
    ? { group: group!, artifact: artifact!, version: version! }
    : null
}

/**
 * Returns the repository that Maven uses: a mirror of the central one in the user's settings.xml,
 * with its name and password, or Maven's built-in repository.
 */
export async function mavenRegistry(around: Surroundings): Promise<RegistryLocation> {
  const text = await readTextOrEmpty(join(around.home, '.m2', 'settings.xml'))
  const elements = text === '' ? [] : xmlElements(text, 'the settings.xml of Maven')
  const mirror = recordsAt(elements, 'settings/mirrors/mirror').find(({ mirrorOf = '' }) =>
    mirrorOf.split(',').some((it) => /^(?:\*|central|external:\*)$/.test(it.trim())),
  )
  const configured = mirror?.url ?? ''
  if (!URL.canParse(configured) || !/^https?:/i.test(configured)) {
    return locationOf(await defaultRegistryUrl('maven', around))
  }
  const server = recordsAt(elements, 'settings/servers/server').find(({ id }) => id === mirror?.id)
  const user = server?.username && server.password ? `${server.username}:${server.password}` : null
  const authorization = user === null ? null : `Basic ${Buffer.from(user).toString('base64')}`
  return { ...locationOf(configured), authorization }
}

function recordsAt(elements: readonly XmlElement[], path: string): Record<string, string>[] {
  const records: Record<string, string>[] = []
  let record: Record<string, string> = {}
  for (const element of elements) {
    if (element.path === path) {
      records.push(record)
      record = {}
    } else if (element.path.startsWith(`${path}/`)) {
      record[element.path.slice(path.length + 1)] = element.text
    }
  }
  return records
}

export async function builtInMavenRepository(env: Surroundings['env']): Promise<string | null> {
  const program = Bun.which('mvn', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const folder = join(dirname(dirname(await realpath(program))), 'lib')
  const jar = (await namesIn(folder)).find((name) => /^maven-model-builder-.*\.jar$/.test(name))
  if (jar === undefined) return null
  const path = join(folder, jar)
  const isSuperPom = (name: string) => /(?:^|\/)pom-4\.0\.0\.xml$/.test(name)
  const { texts } = await archiveTexts(path, { isFile: true }, isSuperPom)
  const [pom = ''] = texts.values()
  const elements = pom === '' ? [] : xmlElements(pom, `the POM in ${JSON.stringify(path)}`)
  return xmlText(elements, 'project/repositories/repository/url') || null
}
