import { join } from 'node:path'
import identity from '../../packaging/identity.json'
import { version } from '../../package.json'
import { defaultModel } from '../../src/embed/models.ts'
import { fp32Weights } from '../model/model.ts'
import type { Target } from '../build/target.ts'
import { lockEntries } from './lock.ts'
import { zigVersion } from './parts.ts'

const root = join(import.meta.dir, '../..')

type Part = {
  name: string
  version: string
  license: string
  address: string
  sha256?: string
  sha512?: string
  comment?: string
}

/**
 * Returns an SPDX 2.3 document of everything inside the executables: packages of the production
 * tree, the runtime and addons of each target, and the model. `date` is the date of the commit, so
 * that a commit always gives the same document. `trials` contains the versions of LanceDB that
 * differ from the lock file.
 */
export function sbom(
  targets: readonly Target[],
  { commit, date, trials }: { commit: string; date: string; trials: Record<string, string> },
): object {
  const parts = [...npmParts(), ...targets.flatMap((it) => targetParts(it, trials)), ...ownParts()]
  const packages = parts.map((part, i) => ({ SPDXID: `SPDXRef-${i + 1}`, ...spdxOf(part) }))
  const own = { name: identity.name, version, license: identity.license, address: 'NOASSERTION' }
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${identity.name}-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/${identity.name}-${version}-${commit}`,
    creationInfo: { created: date, creators: [`Organization: ${identity.publisher}`] },
    packages: [{ SPDXID: 'SPDXRef-og', ...spdxOf(own) }, ...packages],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-og'),
      ...packages.map(({ SPDXID }) => relation('SPDXRef-og', 'CONTAINS', SPDXID)),
    ],
  }
}

/**
 * Returns the packages of the production tree without optional ones, which are for a single system.
 */
function npmParts(): Part[] {
  return Object.entries(lockEntries(root))
    .filter(([path, { dev, optional }]) => path.includes('node_modules/') && !dev && !optional)
    .filter(([, { integrity }]) => integrity !== undefined)
    .map(([path]) => npmPart(path.slice(path.lastIndexOf('node_modules/') + 13), path))
}

function npmPart(name: string, path = `node_modules/${name}`, trial?: string): Part {
  const { version: locked, integrity } = lockEntries(root)[path]!
  const sum = trial === undefined ? integrity : undefined
  const part = trial ?? locked
  const license = (lockEntries(root)[path] as { license?: string }).license ?? 'NOASSERTION'
  return {
    name,
    version: part,
    license,
    address: `pkg:npm/${name.replace('@', '%40')}@${part}`,
    ...(sum === undefined ? {} : { sha512: Buffer.from(sum.slice(7), 'base64').toString('hex') }),
  }
}

function targetParts({ name, runtime, lancedb }: Target, trials: Record<string, string>): Part[] {
  const runtimePart = { ...npmPart(runtime.name), license: 'MIT' }
  const parts = [runtimePart, npmPart(lancedb.name, undefined, trials[name])]
  return parts.map((part) => ({ ...part, comment: `in the executable for ${name}` }))
}

function ownParts(): Part[] {
  const { tokenizer, encoder, id } = defaultModel
  const files = [
    { name: tokenizer.name, sha256: tokenizer.sha256, comment: `of ${id}` },
    {
      name: encoder.name,
      sha256: encoder.sha256,
      comment: `of ${id}, quantised from ${fp32Weights.sha256} by scripts/model/quantise.ts`,
    },
  ]
  const address = `https://huggingface.co/${fp32Weights.repo}/tree/${fp32Weights.revision}`
  const kernels = {
    name: 'og kernels',
    version,
    license: identity.license,
    address: 'NOASSERTION',
    comment: `native/, compiled by zig ${zigVersion}`,
  }
  return [...files.map((it) => ({ ...it, version: '1.5', license: 'MIT', address })), kernels]
}

function spdxOf({ name, version: number, license, address, sha256, sha512, comment }: Part) {
  const sums = [
    ['SHA256', sha256],
    ['SHA512', sha512],
  ].filter(([, value]) => value !== undefined)
  const isPackage = address.startsWith('pkg:')
  return {
    name,
    versionInfo: number,
    downloadLocation: isPackage ? 'NOASSERTION' : address,
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license,
    ...(sums.length === 0
      ? {}
      : { checksums: sums.map(([algorithm, checksumValue]) => ({ algorithm, checksumValue })) }),
    ...(isPackage
      ? {
          externalRefs: [
            {
              referenceCategory: 'PACKAGE-MANAGER',
              referenceType: 'purl',
              referenceLocator: address,
            },
          ],
        }
      : {}),
    ...(comment === undefined ? {} : { comment }),
  }
}

function relation(spdxElementId: string, relationshipType: string, relatedSpdxElement: string) {
  return { spdxElementId, relationshipType, relatedSpdxElement }
}
