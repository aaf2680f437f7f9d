import { loadConfig } from '../../../config/load.ts'
import type { CheckedPack } from '../../../library/pack/check-pack.ts'
import { checkPack, hasLicense, writePack } from '../../../operation/pack.ts'
import { noteSentence } from '../../../operation/note.ts'
import { OgError } from '../../../platform/error.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { displaySource } from '../../../store/source.ts'
import { command, option } from '../../command.ts'
import { fieldOptions } from '../../operation-options.ts'

const fields = fieldOptions(writePack.input, {
  output: { short: 'o', placeholder: 'FILE' },
  vectors: { placeholder: 'KIND' },
  license: { placeholder: 'FILE' },
})

export const pack = command({
  name: 'pack',
  summary: writePack.summary,
  positionals: {
    library: { doc: writePack.input.library.doc, optional: true, suggest: 'library@version' },
  },
  options: {
    ...fields.options,
    all: option.flag('write every library version into the folder --output'),
    bundle: option.flag('write an archive that installs og and all packs offline'),
    check: option.text('FILE', checkPack.summary),
    json: option.flag('print a JSON object'),
  },
  async run(context, { library, all, bundle, check, json, ...options }) {
    const { terminal } = context
    checkForm({ library, all, bundle, check })
    const input = fields.input(options)
    if (all || bundle) {
      const { packAll, packBundle } = await import('../registry/pack-all.ts')
      return await (bundle ? packBundle : packAll)(context, { library, ...input }, json)
    }
    if (check !== null) {
      const answer = await checkPack.run({}, { path: check })
      await terminal.write(json ? jsonText(checkPack.json(answer)) : renderChecked(answer.value))
      return 0
    }
    await using og = await context.openOg(await loadConfig(context.env))
    const signal = context.interruption()
    const answer = await writePack.run({ og, signal }, { library: library!, ...input })
    const { path, bytes, manifest } = answer.value
    const line =
      `${path}: ${manifest.library} ${manifest.version}, ` +
      `${formatCount(manifest.pages, 'page')}, ${formatCount(manifest.chunks, 'chunk')}, ` +
      `${formatBytes(bytes)}\n`
    await terminal.write(json ? jsonText(writePack.json(answer)) : line)
    for (const note of answer.notes) terminal.note('hint', noteSentence(note))
    return 0
  },
})

type Form = { library: string | null; all: boolean; bundle: boolean; check: string | null }

function checkForm({ library, all, bundle, check }: Form): void {
  const refuse = (a: string, b: string) => new OgError(`${a} cannot be used with ${b}`)
  if (check !== null && (all || bundle)) throw refuse('--check', all ? '--all' : '--bundle')
  if (all && library !== null) throw refuse('--all', 'LIBRARY')
  if (all || bundle || (library === null) !== (check === null)) return
  throw new OgError('Name a library to pack, or a file to check', {
    hint: 'og pack LIBRARY; og pack --check FILE',
  })
}

function renderChecked({ manifest, sha256 }: CheckedPack): string {
  const { library, version, source, commit, fingerprint, vectors } = manifest
  const rows: [string, string][] = [
    ['title', manifest.title],
    ['pages', `${manifest.pages}`],
    ['chunks', `${manifest.chunks}`],
    ['vectors', fingerprint === null ? 'none' : `${vectors} of ${fingerprint.model}`],
    ['source', `${displaySource(source)}${commit === null ? '' : ` at ${commit}`}`],
    ['licence', manifest.license ?? (hasLicense(manifest) ? 'unnamed text' : 'not known')],
    ['indexed', manifest.indexedAt],
    ['format', `${manifest.format}`],
    ['sha256', sha256],
  ]
  return (
    `${library} ${version}: whole\n` +
    rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}\n`).join('')
  )
}
