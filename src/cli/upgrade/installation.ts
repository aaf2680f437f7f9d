import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import identity from '../../../packaging/identity.json'

export type Installation = { path: string; previous: string }

export function installationAt(path: string): Installation {
  const ending = path.endsWith('.exe') ? '.exe' : ''
  return { path, previous: join(dirname(path), `${basename(path, ending)}.previous${ending}`) }
}

export function ownerCommand(path: string, exists = existsSync): string | null {
  const place = path.replaceAll('\\', '/')
  const { name, package: npmName } = identity
  for (const [part, command] of [
    ['/node_modules/', `npm install -g ${npmName}@latest`],
    ['/Cellar/', `brew upgrade ${name}`],
    ['/scoop/apps/', `scoop update ${name}`],
    ['/WinGet/Packages/', `winget upgrade ${name}`],
    ['/nix/store/', `nix profile upgrade ${name}`],
  ] as const) {
    if (place.includes(part)) return command
  }
  // Only packages install into these folders; manual copies belong in /usr/local/bin.
  if (!/^\/(usr\/)?bin\//.test(place)) return null
  if (exists(`/var/lib/dpkg/info/${name}.list`)) return `sudo apt install --only-upgrade ${name}`
  if (exists('/var/lib/pacman')) return `sudo pacman -S ${name}`
  return `sudo dnf upgrade ${name}`
}
