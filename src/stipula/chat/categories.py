"""What a question is about, in one word: the first row of the table that fits. A reader shows it beside the thinking.

Words count whole ("they" is no "hey"), and only those that the person typed.
"""

import re
from typing import Final

_WORDS: Final = (
    ("greeting", "hi|hello|hey|good (?:morning|afternoon|evening)|xin chào|chào|hola|buenos días"),
    ("code", "code|function|python|javascript|typescript|rust|sql|html|css|regex|bug|compile|stack trace|lập trình"),
    ("explain", "explain|what is|what are|how does|how do|why|meaning of|giải thích|tại sao|là gì|explica|por qué"),
    ("analysis", "analy[sz]e|analysis|compare|versus|vs|evaluate|pros and cons|phân tích|so sánh|analiza|compara"),
    ("creative", "write a (?:story|poem|song)|story|poem|song|lyrics|imagine|bài thơ|câu chuyện|cuento|poema"),
    ("math", r"calculate|solve|equation|integral|derivative|sum of|tính|phương trình|calcula|\d+\s*[-+*/^×÷]\s*\d+"),
    ("translate", "translate|translation|dịch|traduce|traducir"),
    ("summary", "summari[sz]e|summary|tl;?dr|tóm tắt|resume|resumen"),
    ("planning", "plan|schedule|roadmap|itinerary|kế hoạch|lịch trình"),
    ("research", "research|sources|study|paper|nghiên cứu|investiga"),
    ("opinion", "should i|what do you think|recommend|best|nên|bạn nghĩ|opinas|recomienda"),
)
_ROWS: Final = tuple((name, re.compile(rf"\b(?:{words})(?!\w)", re.IGNORECASE)) for name, words in _WORDS)
_COMPLEX_FROM: Final = 100
_LOOKED_AT: Final = 2000


def category_of(message: str) -> str:
    """The category of what a person typed."""
    text = message[:_LOOKED_AT]
    for name, words in _ROWS:
        if words.search(text):
            return name
    if "?" in text:
        return "question"
    return "complex" if len(message) > _COMPLEX_FROM else "general"
