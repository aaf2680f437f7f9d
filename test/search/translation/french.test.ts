import { expect, test } from 'bun:test'
import { frenchStem } from '../../../src/search/translation/french.ts'

test('maps plurals, feminines and verb forms to one stem', () => {
  const check = (...forms: string[]) => expect(new Set(forms.map(frenchStem)).size).toBe(1)
  check('supprimer', 'supprime', 'supprimees', 'supprimant', 'supprimait')
  check('envoyer', 'envoyees', 'envoyez')
  check('definir', 'defini', 'definissent', 'definit')
  check('verifier', 'verifie', 'verifient', 'verifiees')
  check('fichier', 'fichiers')
  check('locale', 'locales')
})
