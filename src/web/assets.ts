import { createHash } from 'node:crypto'
import css from './assets/page.css' with { type: 'text' }
import icon from './assets/icon.svg' with { type: 'text' }
import js from './assets/page.js' with { type: 'text' }

type Asset = { path: string; type: string; text: string }

/**
 * Makes a static file. Its URL contains a hash of its content, so browsers can cache it forever.
 */
function asset(name: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { path: `/assets/${hash}/${name}`, type: `${type}; charset=utf-8`, text }
}

export const assets = {
  css: asset('page.css', 'text/css', css),
  js: asset('page.js', 'text/javascript', js),
  icon: asset('icon.svg', 'image/svg+xml', icon),
}

export function assetAt(path: string): Response | null {
  const asset = Object.values(assets).find((it) => it.path === path)
  if (asset === undefined) return null
  const headers = {
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
  }
  return new Response(asset.text, { headers })
}
