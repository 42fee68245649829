import { hash } from "node:crypto";

/** Short, common words that differ in sound and spelling, so that people can compare them at a glance or by phone. */
const WORDS = (
  "acorn amber anchor apple arrow autumn badger bamboo banjo barley basket beacon beaver berry blanket blossom bottle " +
  "breeze bridge bronze bucket butter button cabin cactus camel candle canyon carrot castle cedar cello chalk cherry " +
  "chimney circle clover cobalt coffee comet copper coral cotton cradle crane cricket crystal curtain cymbal daisy dolphin " +
  "donkey dragon drum eagle easel elbow ember engine falcon feather fennel ferry fiddle flute forest fossil fountain fox " +
  "garden garlic ginger glacier glove goblet granite grape guitar hammer harbour harp hazel heron honey hornet iceberg " +
  "indigo island ivory jacket jaguar jasmine jigsaw jungle kayak kettle kitten ladder lagoon lantern lemon lentil " +
  "leopard lily lizard llama lobster magnet mango maple marble meadow melon mirror mitten monsoon moose mosaic mountain " +
  "mustard napkin needle nickel nutmeg oasis oboe ocean olive onion orange orchid otter oyster paddle panda paper parrot " +
  "peach pebble pelican pencil pepper piano pillow pine planet plum pocket pony poplar puffin pumpkin puzzle quail quartz " +
  "quilt rabbit radish raven ribbon river robin rocket saddle saffron salmon sandal sapphire satin scarf seal shadow " +
  "silver skate snow spruce squirrel stork sunset swan table tango teapot temple thistle thunder tiger timber tomato " +
  "trumpet tulip tunnel turtle umbrella valley vanilla velvet violet violin walnut walrus whistle willow window winter " +
  "wolf yellow zebra zipper"
).split(" ");

/** The pair of words that both sides of a link show, so that a person sees that they confirm the same link (I1). */
export const wordsOf = ({ id, claimant }: { id: string; claimant: { accountId: string } }): string => {
  const digest = hash("sha256", JSON.stringify([id, claimant.accountId]), "buffer");
  return [digest.readUInt32BE(0), digest.readUInt32BE(4)].map((number) => WORDS[number % WORDS.length]).join(" ");
};
