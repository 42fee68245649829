import type * as english from "../en/files.ts";
import { phrase } from "../phrase.ts";

const READABLE =
  "imágenes (PNG, JPEG, GIF, WebP), PDF, archivos de Word, Excel, PowerPoint y OpenDocument, y texto sencillo como CSV, " +
  "Markdown y código";

const whys: typeof english.files.whys = {
  "is empty": "está vacío",
  "is damaged": "está dañado",
  "is damaged or incomplete": "está dañado o incompleto",
  "is protected with a password": "está protegido con una contraseña",
  "is compressed in an unusual way": "está comprimido de una forma poco común",
  "has no text": "no tiene texto",
  "has no text, perhaps it is a scan": "no tiene texto, quizá es un escaneo",
  "has too many parts": "tiene demasiadas partes",
  "unpacks to too much data": "contiene demasiados datos al descomprimirlo",
  "takes too long to read": "tarda demasiado en leerse",
  "needs too much memory": "necesita demasiada memoria",
  "is no longer needed": "ya no hace falta",
  "cannot be read": "no se puede leer",
};

const kinds: typeof english.files.kinds = {
  "ZIP archive": "archivo ZIP",
  "old or protected Office document": "documento de Office antiguo o protegido",
  "HEIC image": "imagen HEIC",
  "HEIF image": "imagen HEIF",
  "AVIF image": "imagen AVIF",
  "BMP image": "imagen BMP",
  "TIFF image": "imagen TIFF",
  "video or sound": "vídeo o sonido",
  sound: "sonido",
  "compressed archive": "archivo comprimido",
  program: "programa",
  "RTF document": "documento RTF",
};

export const files: typeof english.files = {
  problems: {
    late: (name) => `No he podido obtener ${name} a tiempo. Envíalo otra vez, por favor.`,
    expired: (name) => `${name} ha caducado. Envíalo otra vez, por favor.`,
    noImages: (name) => `No puedo ver imágenes (${name}): mi modelo solo lee texto.`,
    imageTooLarge: (name, size, max) =>
      `${name} es demasiado grande para mí: tiene ${size}, y puedo ver imágenes de hasta ${max}.`,
    unreadable: (name) => `No puedo leer ${name}.`,
    noFiles: (name) => `No puedo leer archivos en este canal (${name}).`,
    tooMany: (name, max) => `Leo como máximo ${max} archivos de un mensaje, así que no he leído ${name}.`,
    failedOften: (name) => `No puedo leer ${name}: ha fallado varias veces.`,
    tooLarge: (name, max) => `No puedo leer ${name}: ocupa más de ${max}.`,
    unknownKind: (name) => `No puedo leer este tipo de archivo (${name}): puedo leer ${READABLE}.`,
    otherKind: (name, kind) =>
      `No puedo leer este tipo de archivo (${name}, ${phrase(kinds, kind)}): puedo leer ${READABLE}.`,
    because: (name, why) => `No puedo leer ${name}: el archivo ${phrase(whys, why)}.`,
    gone: (name) => `No he podido obtener ${name}: ya no existe donde se envió. Envíalo otra vez, por favor.`,
    forbidden: (name) =>
      `No he podido obtener ${name}: no tengo permiso para descargarlo. El operador encuentra el motivo en el registro.`,
    unknown: (name) => `No he podido obtener ${name}: el canal no lo conoce. Envíalo otra vez, por favor.`,
    unavailable: (name) =>
      `No he podido obtener ${name}: el servidor que lo tiene no responde. Envíalo otra vez más tarde, por favor.`,
    noFile: (name) => `No he podido obtener ${name}: el canal no ha enviado ningún archivo.`,
    overBudget: (name, why) => `No puedo guardar ${name}: ${why}`,
    diskFull: (name) =>
      `No puedo guardar ${name} ahora, porque mi disco está casi lleno. Los mensajes me siguen llegando.`,
  },
  whys,
  kinds,
  links: {
    goodFor: "_Los enlaces funcionan durante 24 horas._",
    noAddress: "_Estos archivos no se pueden abrir aquí, porque este Mooring no tiene dirección pública._",
    revoked: "_Los enlaces a estos archivos se han revocado._",
    revokeButton: "Revocar enlaces",
    empty: (name) => `${name} (un archivo vacío)`,
    gone: (name) => `${name} (ya no está disponible)`,
  },
  consent: {
    gone: "Este archivo ya no está disponible. Pídelo otra vez.",
    goneNamed: (name) => `${name} ya no está disponible. Pídelo otra vez.`,
    declined: (name) => `Has rechazado ${name}.`,
  },
};
