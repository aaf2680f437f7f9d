import { loadConfig } from '../../../config/load.ts'
import { listsFolder } from '../../../config/homes.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { looksLikeSource } from '../../../source/source-name.ts'
import { splitVersion } from '../../../version/version-in-name.ts'
import type { Context } from '../../context.ts'
import { registryReadingOptions } from './registry.ts'
import { installTrustedPack, type AddPackOptions } from './add-pack.ts'

type AddListedOptions = AddPackOptions & {
  source: string | null
  version: string | null
  from: string | null
  'docs-path': readonly string[]
  'dry-run': boolean
}

export async function addFromRegistry(
  context: Context,
  typed: string,
  options: AddListedOptions,
): Promise<number | null> {
  const { env, terminal } = context
  const { from } = options
  if (from !== null && !['pack', 'source'].includes(from)) {
    throw new OgError(`--from is pack or source, not "${from}"`)
  }
  const isNamed =
    options.source === null &&
    options['docs-path'].length === 0 &&
    !looksLikeSource(typed) &&
    !options['dry-run']
  if (from === 'source' || !isNamed) return null
  const { readRegistries } = await import('../../../library/registry/known-registries.ts')
  const registries = await readRegistries(listsFolder(env))
  if (registries.length === 0 && from === null) return null
  const { library, version } = splitVersion({ library: typed, version: options.version })
  const { choosePackFromRegistries } = await import('../../../library/registry/choose-pack.ts')
  const listed = await choosePackFromRegistries(
    registries,
    { library, version },
    {
      ...(await registryReadingOptions(context)),
      onProblem: (error) => terminal.note('warning', messageOf(error)),
    },
  )
  if (listed === null) {
    if (from === null) return null
    throw new OgError(`No registry has a pack of "${library}"${version ? ` ${version}` : ''}`, {
      hint: 'og registry search TEXT; --from source builds it',
    })
  }
  const { pack, registry, place } = listed
  if (pack.yanked) {
    terminal.note('warning', `${library} ${version} was withdrawn by ${registry.name}`)
  }
  terminal.note('plain', `${pack.library} ${pack.version}: pack of ${registry.name}`)
  terminal.note('hint', 'to build it here instead: --from source')
  const named = { path: place, sha256: pack.manifest, as: options.as ?? library }
  return await installTrustedPack(context, await loadConfig(env), { ...options, ...named })
}
