import { loadConfig } from '../../../config/load.ts'
import type { CheckedPack } from '../../../library/pack/check-pack.ts'
import { vectorKinds, type VectorKind } from '../../../library/pack/packed-embeddings.ts'
import type { PackRequest } from '../../../library/pack/packs.ts'
import { OgError } from '../../../platform/error.ts'
import { shownBytes } from '../../../platform/file/size.ts'
import { jsonText } from '../../../platform/json.ts'
import { sourcePlace } from '../../../store/source.ts'
import { withVersionInName } from '../../../version/version-in-name.ts'
import { counted } from '../../../platform/text/counted.ts'
import { command } from '../../command.ts'

export const pack = command({
  name: 'pack',
  summary: 'write an indexed library version to one file, for other machines',
  details: [
    'The file (NAME-VERSION.ogpack) holds the pages, where their chunks are, and the embeddings: ' +
      '"og add FILE" makes it a library elsewhere, in a second and without embedding. The same ' +
      'state of a library gives the same bytes. docs/reference/pack-format.md says what is in it.',
    '--vectors says how embeddings are written: f16 loses nothing that can be measured, int8 is ' +
      'half of it, and with none they are computed where the pack is added.',
    '--all writes every library version that is indexed, each to a file of its own; "og add ' +
      'DIR/*.ogpack" adds them. --bundle writes one archive with this executable, the packs of ' +
      'all libraries or of LIBRARY, the settings that were made (no paths and no secrets) and a ' +
      'script: for machines of this kind that have no network.',
    'The text of the licence that lay at the top of the folder or repository when it was indexed ' +
      'comes along, and its name where the text tells it. --license takes another one.',
    '--check reads a pack as "og add" would, compares everything in it with its hashes, and says ' +
      'what is inside.',
  ],
  positionals: {
    library: { doc: 'library, or LIBRARY@VERSION', optional: true, suggest: 'library@version' },
  },
  options: {
    output: { type: 'text', short: 'o', placeholder: 'FILE', doc: 'file or folder to write to' },
    vectors: {
      type: 'text',
      placeholder: 'KIND',
      doc: 'f32, f16, int8 or none; f16 unless given',
      choices: vectorKinds,
    },
    license: {
      type: 'text',
      placeholder: 'FILE',
      doc: 'its licence; "source" asks its folder or repository for it now, "none" leaves it out',
    },
    all: { type: 'switch', doc: 'write every library version, into the folder --output' },
    bundle: { type: 'switch', doc: 'write an archive that installs og and all packs offline' },
    check: { type: 'text', placeholder: 'FILE', doc: 'check a pack, and write none' },
    json: { type: 'switch', doc: 'print a JSON object' },
  },
  examples: [
    'og pack fastapi',
    'og pack fastapi@0.115.0 -o packs/',
    'og pack --all -o packs',
    'og pack --bundle',
    'og pack --check x.ogpack',
  ],
  async run(context, { library, output, vectors, license: typed, all, bundle, check, json }) {
    const { terminal, env } = context
    checkForm({ library, all, bundle, check })
    const kind = vectorKind(vectors)
    const license = await licenseNamed(typed)
    if (all || bundle) {
      const { packAll, packBundle } = await import('../registry/pack-all.ts')
      const write = bundle ? packBundle : packAll
      return await write(context, { library, output, vectors: kind, license, json })
    }
    if ((library === null) === (check === null)) {
      throw new OgError('Name a library to pack, or a file to check', {
        hint: 'og pack LIBRARY; og pack --check FILE',
      })
    }
    if (check !== null) {
      const { checkPackFile } = await import('../../../library/pack/check-pack.ts')
      const checked = checkPackFile(check)
      const text = json ? jsonText(checkedJson(checked)) : renderChecked(checked)
      await terminal.write(text)
      return 0
    }
    await using og = await context.openOg(await loadConfig(env))
    const query = withVersionInName({ library: library!, version: null as string | null })
    const written = await og.packs.write({
      ...query,
      to: output,
      vectors: kind,
      license,
      signal: context.interruption(),
    })
    const { path, bytes, manifest } = written
    const line =
      `${path}: ${manifest.library} ${manifest.version}, ` +
      `${counted(manifest.pages, 'page')}, ${counted(manifest.chunks, 'chunk')}, ` +
      `${shownBytes(bytes)}\n`
    await terminal.write(json ? jsonText({ path, bytes, ...shown(manifest) }) : line)
    if (typed === null && !hasLicense(manifest)) terminal.note('hint', noLicense)
    return 0
  },
})

const noLicense =
  'it holds no licence: its source had none, or an earlier og indexed it; ' +
  '--license source asks for it, --license FILE names one'

type Form = { library: string | null; all: boolean; bundle: boolean; check: string | null }

function checkForm({ library, all, bundle, check }: Form): void {
  const refuse = (a: string, b: string) => new OgError(`${a} cannot be used with ${b}`)
  if (check !== null && (all || bundle)) throw refuse('--check', all ? '--all' : '--bundle')
  if (all && library !== null) throw refuse('--all', 'LIBRARY')
}

async function licenseNamed(typed: string | null): Promise<PackRequest['license']> {
  if (typed === null) return 'kept'
  if (typed === 'none') return null
  if (typed === 'source') return typed
  const { licenseFile } = await import('../../../library/pack/license.ts')
  return await licenseFile(typed).catch((cause: Error) => {
    throw new OgError(`Cannot read licence "${typed}": ${cause.message}`, { cause })
  })
}

function vectorKind(typed: string | null): VectorKind {
  const kind = vectorKinds.find((it) => it === (typed ?? 'f16'))
  if (kind !== undefined) return kind
  throw new OgError(`--vectors is ${vectorKinds.join(', ')}, not "${typed}"`)
}

type Manifest = CheckedPack['manifest']

/** Checks for the text, since a licence can have one without a known name. */
function hasLicense({ members }: Manifest): boolean {
  return members.some(({ kind }) => kind === 'license')
}

function shown({ library, version, pages, chunks, vectors, license }: Manifest) {
  return { library, version, pages, chunks, vectors, license }
}

function checkedJson({ manifest, sha256 }: CheckedPack) {
  const { format, title, source, ref, commit, indexedAt, fingerprint } = manifest
  return {
    ...shown(manifest),
    format,
    sha256,
    title,
    source: sourcePlace(source),
    ref,
    commit,
    indexed_at: indexedAt,
    model: fingerprint?.model ?? null,
  }
}

function renderChecked({ manifest, sha256 }: CheckedPack): string {
  const { library, version, source, commit, fingerprint, vectors } = manifest
  const rows: [string, string][] = [
    ['title', manifest.title],
    ['pages', `${manifest.pages}`],
    ['chunks', `${manifest.chunks}`],
    ['vectors', fingerprint === null ? 'none' : `${vectors} of ${fingerprint.model}`],
    ['source', `${sourcePlace(source)}${commit === null ? '' : ` at ${commit}`}`],
    ['licence', manifest.license ?? (hasLicense(manifest) ? 'a text without a name' : 'not known')],
    ['indexed', manifest.indexedAt],
    ['format', `${manifest.format}`],
    ['sha256', sha256],
  ]
  return (
    `${library} ${version}: whole\n` +
    rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}\n`).join('')
  )
}
