import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The length of the key of a box. */
export const SECRET_KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

/** Encrypts secrets, so that the database alone does not reveal them. */
export interface SecretBox {
  /** Returns a text encrypted with a nonce of its own. */
  encrypt(text: string): string
  /** Returns the decrypted text. Throws if the text was encrypted with another key, or changed. */
  decrypt(encrypted: string): string
}

/** Returns a box with this key: AES-256-GCM (NIST SP 800-38D). Throws unless the key has 32 bytes. */
export function makeSecretBox(key: Uint8Array): SecretBox {
  if (key.length !== SECRET_KEY_BYTES) throw new Error(`the secret key must have ${SECRET_KEY_BYTES} bytes`)
  return {
    encrypt: text => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${bytes.toString('base64url')}`
    },
    decrypt: encrypted => {
      const [version, text = ''] = encrypted.split('.')
      const bytes = Buffer.from(text, 'base64url')
      if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES)
        throw new Error('the text is not an encrypted secret')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
      return Buffer.concat(opened).toString('utf8')
    },
  }
}
