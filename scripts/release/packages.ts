import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transpileDeclaration } from 'typescript'
import identity from '../../packaging/identity.json'
import { version } from '../../package.json'
import type { PublishedRelease, ReleasedFile } from '../../src/platform/published.ts'
import { executableName, type Target } from '../build/target.ts'

const root = join(import.meta.dir, '../..')

/**
 * Writes one folder per npm package to publish: a package with the executable for each target, and
 * the launcher that depends on them all. npm installs the one for its system, processor and libc.
 * `executables` maps a target to its path.
 */
export async function writeNpmPackages(
  folder: string,
  targets: readonly Target[],
  executables: Record<string, string>,
): Promise<string[]> {
  const { package: name, summary: description, license } = identity
  const shared = { version, description, license }
  const names = targets.map((target) => `${name}-${target.name}`)
  for (const target of targets) {
    const own = join(folder, `${name}-${target.name}`)
    const file = executableName(target)
    await mkdir(own, { recursive: true })
    await copyFile(executables[target.name]!, join(own, file))
    await chmod(join(own, file), 0o755)
    await copyFile(join(root, 'LICENSE'), join(own, 'LICENSE'))
    const libc =
      target.platform !== 'linux'
        ? {}
        : { libc: [target.name.endsWith('-musl') ? 'musl' : 'glibc'] }
    const { platform, arch } = target
    const fits = { os: [platform], cpu: [arch], ...libc }
    await writeJson(join(own, 'package.json'), {
      name: `${name}-${target.name}`,
      ...shared,
      ...fits,
      preferUnplugged: true,
      files: [file],
    })
  }
  await writeLauncher(join(folder, name), { name, ...shared }, names)
  return [name, ...names]
}

/**
 * Writes the package with the command `og`, and with the library `og/memory` for Node and its
 * types.
 */
async function writeLauncher(own: string, about: object, names: string[]): Promise<void> {
  await mkdir(own, { recursive: true })
  const files = {
    // og/memory looks for an executable in its own folder.
    'og.cjs': join(root, 'packaging', 'launcher.cjs'),
    'memory.mjs': join(root, 'dist', 'memory.js'),
    'README.md': join(root, 'README.md'),
    LICENSE: join(root, 'LICENSE'),
  }
  for (const [file, from] of Object.entries(files)) await copyFile(from, join(own, file))
  await chmod(join(own, 'og.cjs'), 0o755)
  await writeFile(join(own, 'memory.d.mts'), await memoryTypes())
  await writeJson(join(own, 'package.json'), {
    ...about,
    ...(identity.registryName === '' ? {} : { mcpName: identity.registryName }),
    bin: { og: 'og.cjs' },
    exports: {
      './memory': { types: './memory.d.mts', default: './memory.mjs' },
      './package.json': './package.json',
    },
    engines: { node: '>=20' },
    files: [...Object.keys(files), 'memory.d.mts'],
    optionalDependencies: Object.fromEntries(names.map((name) => [name, version])),
  })
}

/**
 * Returns the type declarations of memory.mjs. One file is enough, because the source imports
 * nothing.
 */
async function memoryTypes(): Promise<string> {
  const source = await readFile(join(root, 'src', 'program', 'memory-api.ts'), 'utf8')
  const { outputText, diagnostics = [] } = transpileDeclaration(source, {
    fileName: 'memory.mts',
    reportDiagnostics: true,
  })
  if (diagnostics.length === 0) return outputText
  throw new Error(`Cannot declare the types of og/memory: ${diagnostics[0]!.messageText}`)
}

const writeJson = (path: string, value: object) =>
  writeFile(path, `${JSON.stringify(value, null, 2)}\n`)

/**
 * Returns manifests for package managers by file name, if the release has the archives that they
 * need.
 */
export function manifests({ targets }: PublishedRelease): Record<string, string> {
  const found: Record<string, string> = {}
  const archiveOf = (target: string, kind: string) =>
    targets[target]?.trial !== null
      ? undefined
      : targets[target].archives.find(({ file }) => file.endsWith(kind))
  const [mac, linux, arm] = ['darwin-arm64', 'linux-x64', 'linux-arm64'].map((target) =>
    archiveOf(target, '.tar.gz'),
  )
  if (linux) found['PKGBUILD'] = pkgbuild(linux)
  if (linux || arm || mac) found['og.rb'] = formula({ linux, arm, mac })
  const windows = archiveOf('windows-x64', '.zip')
  if (windows) {
    found['og.json'] = scoop(windows)
    found['og.winget.yaml'] = winget(windows)
  }
  return found
}

type Archives = Record<'linux' | 'arm' | 'mac', ReleasedFile | undefined>

const { name, summary, homepage, license, publisher } = identity
const addressOf = ({ file }: ReleasedFile) => `${identity.releases}/download/v${version}/${file}`

function formula({ linux, arm, mac }: Archives): string {
  const source = (condition: string, file: ReleasedFile | undefined) =>
    file === undefined
      ? ''
      : `    ${condition} do
      url "${addressOf(file)}"
      sha256 "${file.sha256}"
    end\n`
  return `class Og < Formula
  desc "${summary}"
  homepage "${homepage}"
  version "${version}"
  license "${license}"

  on_macos do
${source('on_arm', mac)}  end

  on_linux do
${source('on_intel', linux)}${source('on_arm', arm)}  end

  def install
    bin.install "og"
    man1.install "man/og.1"
    bash_completion.install "completions/og.bash" => "og"
    zsh_completion.install "completions/_og"
    fish_completion.install "completions/og.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/og version")
  end
end
`
}

function pkgbuild(file: ReleasedFile): string {
  return `pkgname=${name}
pkgver=${version}
pkgrel=1
pkgdesc='${summary}'
arch=(x86_64)
url='${homepage}'
license=(${license})
depends=(glibc)
options=(!strip)
source=('${addressOf(file)}')
sha256sums=('${file.sha256}')

package() {
  cd "${file.file.replace(/\.tar\.gz$/, '')}"
  install -Dm755 og "$pkgdir/usr/bin/og"
  install -Dm644 LICENSE "$pkgdir/usr/share/licenses/${name}/LICENSE"
  install -Dm644 man/og.1 "$pkgdir/usr/share/man/man1/og.1"
  install -Dm644 completions/og.bash "$pkgdir/usr/share/bash-completion/completions/og"
  install -Dm644 completions/_og "$pkgdir/usr/share/zsh/site-functions/_og"
  install -Dm644 completions/og.fish "$pkgdir/usr/share/fish/vendor_completions.d/og.fish"
}
`
}

function scoop(file: ReleasedFile): string {
  return `${JSON.stringify(
    {
      version,
      description: summary,
      homepage,
      license,
      architecture: {
        '64bit': {
          url: addressOf(file),
          hash: file.sha256,
          extract_dir: file.file.replace(/\.zip$/, ''),
        },
      },
      bin: 'og.exe',
    },
    null,
    2,
  )}\n`
}

/** winget requires the alias of a portable executable to end in .exe. */
function winget(file: ReleasedFile): string {
  return `PackageIdentifier: ${publisher.replaceAll(' ', '')}.${name}
PackageVersion: ${version}
PackageLocale: en-US
Publisher: ${publisher}
PackageName: ${name}
License: ${license}
ShortDescription: ${summary}
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: ${file.file.replace(/\.zip$/, '')}\\og.exe
    PortableCommandAlias: og.exe
Installers:
  - Architecture: x64
    InstallerUrl: ${addressOf(file)}
    InstallerSha256: ${file.sha256.toUpperCase()}
ManifestType: singleton
ManifestVersion: 1.6.0
`
}
