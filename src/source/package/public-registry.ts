import type { RegistryKind } from './package-name.ts'

/** Where each client asks that was told nothing else; settings of the user go before. */
export const publicRegistries: Readonly<Record<RegistryKind, string>> = {
  npm: 'https://registry.npmjs.org/',
  pypi: 'https://pypi.org/simple/',
  crates: 'https://index.crates.io/',
  go: 'https://proxy.golang.org/',
}
