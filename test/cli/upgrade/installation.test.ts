import { expect, test } from 'bun:test'
import { installationAt, ownerCommand } from '../../../src/cli/upgrade/releases.ts'

const check = (path: string, expected: string | null, there: string[] = []) =>
  expect(ownerCommand(path, (it) => there.includes(String(it)))).toBe(expected)

test('names the upgrade command of the package manager that installed og', () => {
  check('/opt/a/lib/node_modules/og-linux-x64/og', 'npm install -g og-cli@latest')
  check('/opt/homebrew/Cellar/og/1.0/bin/og', 'brew upgrade og')
  check('C:\\Users\\a\\scoop\\apps\\og\\current\\og.exe', 'scoop update og')
  const dpkg = '/var/lib/dpkg/info/og.list'
  check('/usr/bin/og', 'sudo apt install --only-upgrade og', [dpkg])
  check('/usr/bin/og', 'sudo dnf upgrade og')
  check('/usr/bin/og', 'sudo pacman -S og', ['/var/lib/pacman'])
  check('/usr/local/bin/og', null, [dpkg])
  check('/srv/a/.local/bin/og', null)
})

test('keeps the previous version next to the executable', () => {
  expect(installationAt('/a/bin/og').previous).toBe('/a/bin/og.previous')
  expect(installationAt('/a/bin/og.exe').previous).toBe('/a/bin/og.previous.exe')
})
