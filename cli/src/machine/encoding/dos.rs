//! The letters of consoles, which files of old programs still have.

/// What the bytes from 128 on stand for; the others are ASCII.
#[derive(Debug, PartialEq, Eq)]
pub struct CodePage {
    /// As in `cp852`.
    pub number: &'static str,
    letters: &'static str,
}

/// North America, Western Europe, Central Europe.
pub const PAGES: [CodePage; 3] = [
    CodePage {
        number: "437",
        letters: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
    },
    CodePage {
        number: "850",
        letters: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}",
    },
    CodePage {
        number: "852",
        letters: "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}",
    },
];

impl CodePage {
    pub fn decode(&self, bytes: &[u8]) -> String {
        let letters: Vec<char> = self.letters.chars().collect();
        let letter = |byte: &u8| match byte.checked_sub(128) {
            None => char::from(*byte),
            Some(place) => letters
                .get(usize::from(place))
                .copied()
                .unwrap_or(char::REPLACEMENT_CHARACTER),
        };
        bytes.iter().map(letter).collect()
    }

    pub fn encode(&self, letter: char) -> Option<u8> {
        if letter.is_ascii() {
            return u8::try_from(letter).ok();
        }
        let place = self.letters.chars().position(|known| known == letter)?;
        u8::try_from(place + 128).ok()
    }
}
